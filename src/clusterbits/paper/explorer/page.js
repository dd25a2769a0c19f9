// --- the page: its state, which is also in the address, and what moves it ---
const MOST_COUNT = 1e6;
const START = { ...DATA.demonstrations[0].state };
const sliders = Object.fromEntries(PARAMETERS.map((name) => [name, byId(name)]));
sliders.n.max = DATA.sizes.length - 1; // it counts places among these
const SETTINGS = Object.fromEntries(PARAMETERS.map((name) => {
  const { min, max, step } = sliders[name];
  const steps = Math.round((max - min) / step);
  return [name, Array.from({ length: steps + 1 }, (_, i) => Number((Number(min) + i * step).toFixed(2)))];
}));
SETTINGS.n = DATA.sizes;

// { state, moved, from, counts }: `from` is where the slider that moved last stood; `counts` are the
// reader's own, if any.
let page;

// What the page shows; whole counts are objects, whose pairs are counted, beside the reader's own.
function look(state, counts, asObjects = counts !== null) {
  const own = counts || expectedCounts(state);
  const table = makeTable(own, asObjects && areWhole(own));
  return { state, counts: own, edited: counts !== null, table, values: measureAll(table) };
}

function currentStep() {
  const { state, moved, from, counts } = page;
  const before = look(counts ? state : { ...state, [moved]: from }, null, counts !== null);
  return { before, after: look(state, counts) };
}

// Every setting of the slider that moved last, the others as they are.
function currentCurves() {
  const { state, moved, from } = page;
  const possible = SETTINGS[moved].map((value) => ({ ...state, [moved]: value }))
    .filter(isPossible);
  return {
    points: possible.map((other) => look(other, null).values),
    at: possible.findIndex((other) => other[moved] === state[moved]),
    from: possible.findIndex((other) => other[moved] === from),
  };
}

function draw() {
  const step = currentStep();
  const desideratum = step.after.edited ? undefined : findDesideratum(step.before.state, step.after.state);
  const verdicts = judgeStep(step, desideratum);
  const [heading, text] = tellStep(step, desideratum, verdicts);
  byId("verdict-h").textContent = heading;
  byId("verdict-text").textContent = text;
  const demonstration = findDemonstration();
  byId("why").textContent = demonstration?.why || "";
  for (const name of PARAMETERS) showSlider(name);
  byId("over").textContent = page.counts ? "curve" : `over ${DATA.parameters[page.moved]}`;
  byId("kind").textContent = describeCounts(step.after);
  byId("problem").textContent = "";
  drawCounts(step.after);
  drawBits(step);
  drawMeasures(step, verdicts, page.counts ? null : currentCurves());
  byId("demonstrations").querySelectorAll("button").forEach((button, i) => {
    button.setAttribute("aria-pressed", String(demonstration === DATA.demonstrations[i]));
  });
}

function describeCounts({ edited, table }) {
  const total = `${grouped(table.n)} objects`;
  if (!edited) return `${total}: expected counts, so pairs of objects are counted in expectation.`;
  return `${total}: your counts, ${table.whole ? "whole" : "not all of them whole"}.`;
}

function showSlider(name) {
  const value = page.state[name];
  const text = name.startsWith("epsilon") ? value.toFixed(2) : grouped(value);
  sliders[name].value = name === "n" ? DATA.sizes.indexOf(value) : value;
  sliders[name].setAttribute("aria-valuetext", text);
  byId(`${name}-value`).textContent = text;
}

function findDemonstration() {
  const { state, moved, from, counts } = page;
  return counts ? undefined : DATA.demonstrations.find((each) => each.parameter === moved
    && each.to === state[moved] && differing({ ...state, [moved]: from }, each.state).length === 0);
}

// --- sliders, buttons and cells ---
function moveSlider(name, value) {
  const old = page.state;
  const state = settle({ ...old, [name]: value }, name);
  let from = name === page.moved ? page.from : old[name];
  // Where other sliders had to give way, the step starts here.
  const others = differing(old, state).some((other) => other !== name);
  if (others || !isPossible({ ...state, [name]: from })) from = state[name];
  page = { state, moved: name, from, counts: null };
  draw();
  remember();
}

// Show the step of a demonstration.
function demonstrate({ state, parameter, to }) {
  const from = state[parameter];
  page = { state: { ...state, [parameter]: to }, moved: parameter, from, counts: null };
  draw();
  remember();
}

// Take over what was typed, or say what is wrong with it.
function typeCount(input) {
  const [c, k] = input.dataset.place.split(",").map(Number);
  const counts = (page.counts || expectedCounts(page.state)).map((row) => [...row]);
  counts[c][k] = Number(input.value); // an empty cell is 0
  if (setCounts(counts)) return;
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", "problem");
}

// Whether the counts can be scored; the problem is told where they cannot.
function setCounts(counts) {
  const problem = findProblem(counts);
  if (problem) {
    byId("problem").textContent = problem;
    return false;
  }
  page = { ...page, from: page.state[page.moved], counts };
  draw();
  remember();
  return true;
}

function findProblem(counts) {
  const all = counts.flat();
  if (!all.every((count) => count >= 0 && count <= MOST_COUNT)) {
    return `A count is a number from 0 to ${grouped(MOST_COUNT)}, such as 12 or 2.5.`;
  }
  return all.some((count) => count > 0) ? "" : "The table is empty: there is nothing to score.";
}

// --- the address ---
let waiting = 0;
function remember() {
  clearTimeout(waiting);
  waiting = setTimeout(() => history.replaceState(null, "", writeAddress()), 150);
}

function writeAddress() {
  const { state, moved, from, counts } = page;
  const parts = PARAMETERS.map((name) => `${name}=${state[name]}`);
  parts.push(`moved=${moved}`, `from=${from}`);
  if (counts) parts.push(`counts=${counts.map((row) => row.join(",")).join(";")}`);
  return `#${parts.join("&")}`;
}

// What the address says, as far as it is possible; the start where it says nothing.
function readAddress(hash) {
  const given = new URLSearchParams(hash.slice(1));
  const allowed = (name, text) => SETTINGS[name].find((value) => text !== null && text !== "" && value === Number(text));
  const state = settle(Object.fromEntries(PARAMETERS.map((name) => (
    [name, allowed(name, given.get(name)) ?? START[name]]))));
  const moved = PARAMETERS.find((name) => name === given.get("moved")) || "noise";
  const start = { ...state, [moved]: allowed(moved, given.get("from")) ?? state[moved] };
  const from = isPossible(start) ? start[moved] : state[moved];
  const counts = (given.get("counts") || "").split(";").map((row) => row.split(",").map(Number));
  const fits = counts.length === state.classes
    && counts.every((row) => row.length === state.useful + state.noise) && !findProblem(counts);
  return { state, moved, from, counts: fits ? counts : null };
}

function readPage() {
  page = readAddress(location.hash);
  draw();
}

for (const name of PARAMETERS) {
  sliders[name].addEventListener("input", () => {
    const value = Number(sliders[name].value);
    moveSlider(name, name === "n" ? DATA.sizes[value] : value);
  });
}
byId("glossary").append(...DATA.measures.flatMap(({ label, summary }) => (
  [make("dt", { textContent: label }), make("dd", { textContent: summary })])));
DATA.demonstrations.forEach((each) => {
  const button = make("button", { type: "button", textContent: each.title });
  button.addEventListener("click", () => demonstrate(each));
  byId("demonstrations").append(make("li", {}, button));
});
byId("counts").addEventListener("input", (event) => typeCount(event.target));
byId("counts").addEventListener("focusin", (event) => event.target.select());
byId("counts").addEventListener("focusout", () => { if (byId("problem").textContent) draw(); });
byId("family").addEventListener("click", () => moveSlider(page.moved, page.state[page.moved]));
byId("round").addEventListener("click", () => {
  setCounts((page.counts || expectedCounts(page.state)).map((row) => row.map(Math.round)));
});
// A link within the page must not lose the view.
addEventListener("hashchange", () => (location.hash.includes("=") ? readPage() : remember()));
readPage();
