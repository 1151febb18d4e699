// Light or dark: the system's setting, until the button changes it.

const THEMES = {
  false: {ink: "#1f2328", muted: "#57606a", grid: "#e3e6ea", card: "#ffffff"},
  true: {ink: "#e6e8eb", muted: "#a7b0ba", grid: "#343b45", card: "#1b1f26"},
};

function theme(dark) { return THEMES[Boolean(dark)]; }

function isDark() { return document.documentElement.dataset.theme === "dark"; }

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.getElementById("theme").textContent = dark ? "Light" : "Dark";
  document.getElementById("theme").setAttribute(
      "aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
}

function startTheme(onChange) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  setTheme(system.matches);
  system.addEventListener("change", () => {
    setTheme(system.matches);
    onChange();
  });
  document.getElementById("theme").addEventListener("click", () => {
    setTheme(!isDark());
    onChange();
  });
}
