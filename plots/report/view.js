// Stores the view in the address: the reader's selection, so that a link shows it again.

const CHOSEN = new Set();  // names of what the reader chose; all else is the page's own choice
const GLOBAL = ["machine", "keys", "input"];

function chooseGlobal(name, value) {
  STATE[name] = value;
  CHOSEN.add(name);
  writeView();
}

function chooseLocal(name, value) {
  STATE.local[name] = value;
  CHOSEN.add(name);
  writeView();
}

function viewAddress(more = {}) {
  const view = new URLSearchParams();
  for (const name of GLOBAL)
    if (CHOSEN.has(name)) view.set(name, name === "machine" ? DATA.machines[STATE.machine].name : STATE[name]);
  for (const name of CHOSEN)
    if (!GLOBAL.includes(name)) view.set(name, STATE.local[name]);
  for (const [name, value] of Object.entries(more)) view.set(name, value);
  for (const name of [...view.keys()])
    if (view.get(name) === "") view.delete(name);
  return "#" + view.toString();
}

function writeView() { history.replaceState(null, "", viewAddress()); }

/** Reads the view from the address, without values that no longer exist. Returns its section. */
function readView() {
  const view = new URLSearchParams(location.hash.slice(1));
  CHOSEN.clear();
  Object.assign(STATE, {machine: openingMachine(DATA), keys: "", input: "", local: {}});
  let section = "";
  for (const [name, value] of view) {
    if (name === "at") {
      section = value;
      continue;
    }
    if (name === "machine") {
      const machine = DATA.machines.findIndex((m) => m.name === value);
      if (machine < 0) continue;
      STATE.machine = machine;
    } else if (GLOBAL.includes(name)) {
      STATE[name] = value;
    } else {
      STATE.local[name] = value;
    }
    CHOSEN.add(name);
  }
  return section;
}

/** Draws the view of the address whenever it changes. */
function startView(draw) {
  const follow = () => {
    const section = document.getElementById(readView());
    draw();
    if (section) section.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();
}
