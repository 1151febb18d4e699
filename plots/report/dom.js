// Makes elements, tables and drop-down lists.

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function")
      node.addEventListener(name, value);
    else if (value !== null)
      node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** columns: [{title, number}], rows: arrays of text or nodes. Wide tables scroll in their own box. */
function tableOf(label, columns, rows) {
  const kind = (i) => ({class: columns[i].number ? "number" : null});
  return element(
      "div", {class: "scroll", tabindex: "0", role: "region", "aria-label": label},
      element(
          "table", {},
          element(
              "thead", {},
              element("tr", {}, ...columns.map((c, i) => element("th", {...kind(i), scope: "col"}, c.title)))),
          element(
              "tbody", {},
              ...rows.map(
                  (row) => element(
                      "tr", {},
                      ...row.map((cell, i) => element("td", {...kind(i), "data-title": columns[i].title}, cell)))))));
}

/** A labelled drop-down list; options: [{value, text}], values are compared as they are. */
function picker(title, options, value, onChange) {
  const select = element(
      "select", {"aria-label": title, change: () => onChange(options[select.selectedIndex].value)},
      ...options.map((o) => element("option", {}, o.text)));
  select.selectedIndex = options.findIndex((o) => o.value === value);
  return element("label", {}, title, select);
}

function nothing(text) { return element("p", {class: "nothing"}, text); }
