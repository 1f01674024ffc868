// Tables can be sorted, headings stay in sight where a table fits, and the contents say where the
// reader is. The page is complete without this script.
"use strict";
(() => {
  const tables = () => {
    for (const wrap of document.querySelectorAll(".wrap.long, .wrap.tall")) {
      wrap.classList.remove("fits");
      const fits = wrap.clientWidth > 0 && wrap.scrollWidth <= wrap.clientWidth;
      wrap.classList.toggle("fits", fits && wrap.classList.contains("long"));
    }
  };
  addEventListener("resize", tables);
  addEventListener("toggle", tables, true);

  const links = new Map([...document.querySelectorAll(".rail a")].map((link) => [link.hash.slice(1), link]));
  const seen = new Set();
  const mark = () => {
    for (const link of links.values()) link.removeAttribute("aria-current");
    for (const part of ["section", "article"]) {
      const here = [...seen].filter((element) => element.matches(part));
      const first = here.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0];
      if (first) links.get(first.id)?.setAttribute("aria-current", "true");
    }
    const current = document.querySelector(".rail > ol > li > a[aria-current]") ?? links.get("top");
    if (seen.size === 0) current?.setAttribute("aria-current", "true");
    const strip = document.querySelector(".rail > ol");
    if (current && strip.scrollWidth > strip.clientWidth) {
      strip.scrollTo({ left: current.offsetLeft - strip.clientWidth / 2 + current.offsetWidth / 2 });
    }
  };
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) seen[isIntersecting ? "add" : "delete"](target);
    mark();
  }, { rootMargin: "-25% 0px -74% 0px" });
  for (const element of document.querySelectorAll("section[id], article[id]")) observer.observe(element);

  const value = (cell) => {
    const text = cell.dataset.value ?? cell.textContent.replace(/^[A-Z?!]\s/, "").trim();
    const number = Number.parseFloat(text.replaceAll(",", "").replace("\u2212", "-"));
    return Number.isNaN(number) ? text : number;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0];
    if (!body || body.rows.length < 3) continue;
    // A remark follows the row that it is about.
    const printed = [...body.rows].filter((row) => !row.classList.contains("remark"));
    const remarks = new Map(printed.map((row) => [row, row.nextElementSibling]));
    // Which cell of a row each heading of the last line stands over.
    const heads = [];
    let place = 0;
    const second = table.tHead.rows[1] ? [...table.tHead.rows[1].cells] : [];
    for (const head of table.tHead.rows[0].cells) {
      const own = head.colSpan > 1 ? second.splice(0, head.colSpan) : [head];
      for (const one of own) heads.push([one, place++]);
    }
    for (const [head, column] of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.title = "Sort; a third time as printed";
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const next = { none: "ascending", ascending: "descending", descending: "none" }[head.getAttribute("aria-sort")];
        for (const [other] of heads) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", next);
        const fold = table.closest(".wrap")?.nextElementSibling;
        if (fold?.matches(".more")) fold.open = true;
        const rows = [...printed];
        if (next !== "none") {
          const sign = next === "ascending" ? 1 : -1;
          rows.sort((a, b) => sign * compare(value(a.cells[column]), value(b.cells[column])));
        }
        for (const row of rows) {
          const remark = remarks.get(row);
          body.append(row, ...(remark?.classList.contains("remark") ? [remark] : []));
        }
      });
    }
  }
  // The buttons have made some columns wider.
  tables();
})();
