// What the theme and docutils leave to say to screen readers.
addEventListener("DOMContentLoaded", () => {
  // Buttons that unfold the sidebar have no name: they get that of the page above.
  for (const button of document.querySelectorAll(".bd-links details > summary")) {
    const page = button.closest("li").querySelector("a").textContent.trim();
    button.setAttribute("aria-label", `Pages of ${page}`);
  }
  // Entries of a list of references have a role that is no longer in use.
  for (const entry of document.querySelectorAll(".citation-list > .citation")) {
    entry.setAttribute("role", "listitem");
  }
});
