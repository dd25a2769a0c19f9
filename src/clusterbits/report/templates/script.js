"use strict";

// --- the leaderboard sorts by its headings ---
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const status = table.closest("section").querySelector(".status");
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", (event) => {
      const button = event.currentTarget;
      const now = head.getAttribute("aria-sort");
      const first = button.dataset.first === "desc" ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const order = now === first ? other : first;
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
      };
      const compare = (a, b) => {
        if (typeof a === "string") return sign * a.localeCompare(b, "en", { numeric: true });
        if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
        return sign * (a - b);
      };
      const body = table.tBodies[0];
      const rows = [...body.rows].map((row) => [key(row), row]);
      rows.sort((a, b) => compare(a[0], b[0]));
      body.append(...rows.map((pair) => pair[1]));
      status.textContent = "Sorted by " + button.firstChild.textContent.trim() + ", " + order + ".";
    });
  });
  // --- and lists the clusterings whose name has what is typed ---
  const search = table.closest("section").querySelector(".search");
  search.hidden = table.tBodies[0].rows.length < 8;
  search.firstElementChild.addEventListener("input", (event) => {
    const typed = event.currentTarget.value.trim().toLowerCase();
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = !row.cells[0].title.toLowerCase().includes(typed);
      shown += !row.hidden;
    }
    status.textContent = shown + (shown === 1 ? " clustering" : " clusterings") + " found.";
  });
}

// --- heatmaps tell the cell that is pointed at, or reached with the arrow keys ---
for (const table of document.querySelectorAll("table.heat")) {
  const readout = table.closest("details").querySelector(".readout");
  const clusters = table.tHead.rows[0].cells;
  const labelOf = (head) => {
    const label = head.firstElementChild.cloneNode(true);
    if (head.title) label.textContent = head.title;
    return label;
  };
  const tell = (cell) => {
    const count = cell.dataset.n || cell.textContent || "0";
    const share = Number(cell.style.getPropertyValue("--s") || 0);
    readout.replaceChildren("class ", labelOf(cell.parentNode.cells[0]), ", cluster ",
      labelOf(clusters[cell.cellIndex]), ": " + count + (count === "1" ? " object, " : " objects, ")
      + (count !== "0" && share < 0.01 ? "under 1" : Math.round(share * 100)) + " % of the cluster");
  };
  const cellOf = (event) => event.target.closest("td");
  let current = table.tBodies[0].rows[0].cells[1];
  current.tabIndex = 0;
  table.addEventListener("pointerover", (event) => cellOf(event) && tell(cellOf(event)));
  table.addEventListener("focusin", (event) => cellOf(event) && tell(cellOf(event)));
  table.addEventListener("keydown", (event) => {
    const cell = cellOf(event);
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!cell || !step) return;
    const row = table.tBodies[0].rows[cell.parentNode.sectionRowIndex + step[0]];
    const next = row && row.cells[cell.cellIndex + step[1]];
    if (!next || next.tagName !== "TD") return;
    event.preventDefault();
    current.removeAttribute("tabindex");
    current = next;
    current.tabIndex = 0;
    current.focus();
  });
}

// --- a table that is wider than the screen says so ---
const measure = new ResizeObserver((entries) => {
  for (const { target } of entries) target.classList.toggle("more", target.scrollWidth > target.clientWidth);
});
for (const region of document.querySelectorAll(".scroll")) measure.observe(region);

// --- a link into what is closed opens it ---
const reveal = () => {
  const folded = document.getElementById(location.hash.slice(1))?.closest("details");
  if (folded) folded.open = true;
};
addEventListener("hashchange", reveal);
reveal();
