"use strict";
// A click on a heading sorts its table, a second one the other way round.
document.querySelectorAll("table.sortable").forEach(table => {
  const headings = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  const missing = value => Number.isNaN(value);
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  headings.forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      headings.forEach(other => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const rows = [...body.rows];
      rows.sort((a, b) => {
        const left = key(a, column), right = key(b, column);
        // What has no value comes last either way.
        return missing(left) - missing(right) || sign * compare(left, right);
      });
      body.append(...rows);
    });
  });
});
// Paper cannot be unfolded.
addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach(details => { details.open = true; });
});
