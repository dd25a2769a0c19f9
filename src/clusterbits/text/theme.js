// --- the theme follows the system, or the notebook around it, unless the reader chooses ---
const root = document.documentElement;
const theme = document.getElementById("theme");
let around = "";
const paint = (chosen) => {
  if (chosen === "auto") delete root.dataset.theme;
  else root.dataset.theme = chosen;
  if (chosen === "auto" && around) root.dataset.theme = around;
  theme.firstElementChild.textContent = chosen;
};
theme.hidden = false;
theme.addEventListener("click", () => {
  paint({ auto: "light", light: "dark", dark: "auto" }[theme.firstElementChild.textContent]);
});
// Light text around the frame: a dark notebook.
if (window.frameElement) {
  const look = () => {
    const [r, g, b] = getComputedStyle(frameElement.parentElement).color.match(/[\d.]+/g).map(Number);
    around = 0.3 * r + 0.6 * g + 0.1 * b > 128 ? "dark" : "light";
    if (theme.firstElementChild.textContent === "auto") paint("auto");
  };
  look();
  const watch = new MutationObserver(look);
  for (const each of [parent.document.documentElement, parent.document.body]) {
    watch.observe(each, { attributes: true });
  }
}
