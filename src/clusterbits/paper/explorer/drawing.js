// --- what is drawn: the table as a heat map, the bits, and a row for each measure ---
const byId = (id) => document.getElementById(id);
const number = (value, digits) => value.toFixed(digits).replace("-", "−");
const grouped = (value) => value.toLocaleString("en", { maximumFractionDigits: 2 });
const shortCount = (count) => String(Number(count.toPrecision(count < 1000 ? 3 : 6)));

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// The cells that are typed into; made anew only where the numbers of rows and columns change.
function drawCounts(view) {
  const { counts, state } = view;
  const heat = byId("counts");
  const shape = `${counts.length}×${state.useful}+${state.noise}`;
  if (heat.dataset.shape !== shape) {
    heat.dataset.shape = shape;
    const groups = make("tr", {}, make("td"),
      make("th", { colSpan: state.useful, scope: "colgroup", textContent: "useful clusters" }));
    if (state.noise) groups.append(make("th", { colSpan: state.noise, scope: "colgroup", textContent: "noise" }));
    const names = make("tr", {}, make("th", { scope: "col", className: "turn", textContent: "class" }),
      ...counts[0].map((_, k) => make("th", { scope: "col", textContent: k + 1 })));
    heat.tHead.replaceChildren(groups, names);
    heat.tBodies[0].replaceChildren(...counts.map((row, c) => make("tr", {},
      make("th", { scope: "row", textContent: c + 1 }),
      ...row.map((_, k) => make("td", {}, makeCell(c, k))))));
  }
  const sizes = counts[0].map((_, k) => sum(counts.map((row) => row[k])));
  counts.forEach((row, c) => row.forEach((count, k) => {
    const cell = heat.tBodies[0].rows[c].cells[k + 1];
    const share = sizes[k] ? count / sizes[k] : 0;
    cell.style.setProperty("--s", share);
    const input = cell.firstChild;
    if (input !== document.activeElement || Number(input.value) !== count) input.value = shortCount(count);
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
  }));
}

function makeCell(c, k) {
  const cell = make("input", { inputMode: "decimal", autocomplete: "off" });
  cell.setAttribute("aria-label", `class ${c + 1}, cluster ${k + 1}`);
  cell.dataset.place = `${c},${k}`;
  return cell;
}

function drawBits({ before, after }) {
  const now = after.table;
  const most = Math.max(noClusters(now), q0(now), q0(before.table));
  const place = (bits) => `${(100 * bits) / most}%`;
  for (const [id, table] of [["bits-before", before.table], ["bits-now", now]]) {
    const [labels, counts] = byId(id).children;
    labels.style.width = place(table.labelBits);
    counts.style.width = place(table.tableBits);
  }
  const words = {
    "label-bits": now.labelBits, "table-bits": now.tableBits, "all-bits": q0(now),
    "perfect-bits": now.perfectBits, "no-cluster-bits": noClusters(now),
  };
  for (const [id, bits] of Object.entries(words)) byId(id).textContent = number(bits, 3);
  byId("perfect").style.left = place(now.perfectBits);
  byId("no-clusters").style.left = place(noClusters(now));
  byId("bits").setAttribute("aria-label",
    `${number(q0(now), 3)} bits per object now: ${number(now.labelBits, 3)} for the classes and `
    + `${number(now.tableBits, 3)} for the table; ${number(q0(before.table), 3)} before`);
}

const MARKS = {
  right: ["✓", "right"], wrong: ["✗", "opposite"], tie: ["=", "no change"],
  better: ["▲", "better"], worse: ["▼", "worse"], same: ["=", "same"],
};
const shown = ({ percent }, value) => (percent ? `${number(100 * value, 1)} %` : number(value, 4));

function drawMeasures({ before, after }, verdicts, curves) {
  const body = byId("measures").tBodies[0];
  if (!body.rows.length) {
    body.append(...DATA.measures.map((measure) => make("tr", {},
      make("th", { scope: "row" }, measure.label,
        make("span", { className: "quiet", textContent: measure.better === "higher" ? "" : " lower is better" })),
      make("td", { className: "curve" }), make("td"), make("td", { className: "now" }), make("td", { className: "left" }))));
  }
  const moved = after.edited || differing(before.state, after.state).length > 0;
  DATA.measures.forEach((measure, i) => {
    const row = body.rows[i];
    const [, curve, was, is, mark] = row.cells;
    const [old, value] = [before.values[measure.name], after.values[measure.name]];
    was.textContent = moved && old !== null ? shown(measure, old) : "";
    const missing = "needs whole counts";
    is.replaceChildren(...(value === null
      ? ["–", make("span", { className: "status", textContent: missing })] : [shown(measure, value)]));
    is.title = value === null ? missing : String(value);
    const verdict = moved ? verdicts[measure.name] : undefined;
    row.className = verdict || "";
    const [sign, word] = MARKS[verdict] || ["", ""];
    mark.replaceChildren(sign, " ", make("span", { textContent: word }));
    curve.innerHTML = curves ? drawCurve(measure, curves) : "";
  });
}

// The measure over all settings of a slider, on its own scale, better values above.
function drawCurve(measure, { points, at, from }) {
  const values = points.map((point) => point[measure.name] * (measure.better === "higher" ? 1 : -1));
  if (points.some((point) => point[measure.name] === null)) return "";
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const across = (i) => 3 + (94 * i) / Math.max(values.length - 1, 1);
  const up = (i) => (high - low < 1e-9 ? 12 : 20 - (16 * (values[i] - low)) / (high - low));
  const circle = (i, kind) => `<circle class="${kind}" cx="${across(i)}" cy="${up(i)}" r="2.6"/>`;
  const line = values.map((_, i) => `${across(i)},${up(i)}`).join(" ");
  const start = from !== at && from >= 0 ? circle(from, "start") : "";
  const now = at >= 0 ? circle(at, "low") : "";
  return `<svg viewBox="0 0 100 24" aria-hidden="true"><polyline points="${line}"/>${start}${now}</svg>`;
}
