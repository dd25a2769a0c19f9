// The list of versions, the newest first; versions.js calls this. The newest is at the root of the
// site, where versions.js is, and each older one in a folder there with its name.
function showVersions(versions) {
  const page = `${DOCUMENTATION_OPTIONS.pagename}.html`;
  const entry = (version) => {
    const start = new URL(version === versions[0] ? "." : `${version}/`, versionsAddress());
    const link = document.createElement("a");
    link.className = "dropdown-item list-group-item list-group-item-action py-1";
    link.textContent = version;
    link.href = new URL(page, start);
    link.classList.toggle("active", version === DOCUMENTATION_OPTIONS.VERSION);
    link.setAttribute("role", "option");
    link.onclick = async (click) => {
      click.preventDefault();
      const there = await fetch(link.href, { method: "HEAD" }).catch(() => ({})); // not from disk
      location.href = there.ok ? link.href : new URL("index.html", start);
    };
    return link;
  };
  for (const menu of document.querySelectorAll(".version-switcher__menu")) {
    menu.append(...versions.map(entry));
  }
}

function versionsAddress() {
  const root = new URL(document.documentElement.dataset.content_root, location);
  const old = root.pathname.endsWith(`/${DOCUMENTATION_OPTIONS.VERSION}/`);
  return new URL(old ? "../versions.js" : "versions.js", root);
}

addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll(".version-switcher__button")) {
    button.textContent = DOCUMENTATION_OPTIONS.VERSION;
  }
  document.head.append(Object.assign(document.createElement("script"), { src: versionsAddress() }));
});

// Long names and calls break after these characters (not in tags), where they have to.
addEventListener("DOMContentLoaded", () => {
  for (const name of document.querySelectorAll(".bd-links a, :is(td, th) code")) {
    name.innerHTML = name.innerHTML.replace(/(?<! )[_(=](?![^<]*>)/g, "$&<wbr>");
  }
});

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
