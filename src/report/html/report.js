// SPDX-License-Identifier: Apache-2.0
//
// report.js - what the HTML report can do with script: filter, open and close, follow links to
// objects that are hidden, remember light or dark. Without it the page shows everything.
(function () {
  "use strict";

  const root = document.documentElement;
  const find = document.getElementById("find");
  const shown = document.getElementById("shown");
  const nothing = document.getElementById("nothing");
  const items = Array.from(document.querySelectorAll(".item"));
  const chips = Array.from(document.querySelectorAll(".chips button"));
  const groups = Array.from(document.querySelectorAll(".component, .part"));
  const links = Array.from(document.querySelectorAll(".tree a"));
  const findings = ["differs", "issue", "unmatched", "failed", "apart"];

  // ---- Filter. ----

  let status = "all";
  const texts = new Map();

  function textOf(item) {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  }

  // An item of a fleet may have several: "site failed".
  function statusesOf(item) {
    return item.dataset.status.split(" ");
  }

  function isFinding(item) {
    return statusesOf(item).some((own) => findings.includes(own));
  }

  function hasStatus(item) {
    if (status === "findings") return isFinding(item);
    return status === "all" || statusesOf(item).includes(status);
  }

  function hasWords(item, words) {
    return words.every((word) => textOf(item).includes(word));
  }

  // How many of a component are shown: "3 of 40".
  function countIn(group) {
    const count = group.querySelector(":scope > h3 > .n");
    if (!count) return;
    const all = group.querySelectorAll(".item");
    const seen = Array.from(all).filter((item) => !item.hidden).length;
    count.textContent = seen === all.length ? String(seen) : seen + " of " + all.length;
  }

  // The first item that can be seen in its box has no line above it; the first of those with the same
  // change says which, and the others are brief.
  function markRows(box) {
    let above = null;
    for (const item of box.children) {
      const alike = item.dataset.alike;
      item.classList.toggle("first", !item.hidden && !above);
      item.classList.toggle("again", !!alike && !!above && above.dataset.alike === alike);
      if (!item.hidden) above = item;
    }
  }

  function update() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    let elsewhere = 0;
    for (const item of items) {
      const named = hasWords(item, words);
      item.hidden = !named || !hasStatus(item);
      if (!item.hidden) count++;
      else if (named) elsewhere++;
    }
    for (const group of groups) {
      group.hidden = !group.querySelector(".item:not([hidden])");
      countIn(group);
    }
    for (const link of links)
      link.classList.toggle("none", document.getElementById(link.hash.slice(1)).hidden);
    document.querySelectorAll(".items").forEach(markRows);
    for (const chip of chips)
      chip.setAttribute("aria-pressed", String(chip.dataset.status === status));
    shown.textContent =
      count + " of " + items.length + " shown" +
      (words.length && elsewhere ? ", " + elsewhere + " more under other filters" : "");
    nothing.hidden = count > 0;
  }

  function choose(wanted) {
    status = wanted;
    update();
  }

  function showAll() {
    find.value = "";
    choose("all");
  }

  let timer = 0;
  find.addEventListener("input", function () {
    clearTimeout(timer);
    timer = setTimeout(update, 60);
  });
  find.form.addEventListener("submit", (event) => event.preventDefault());
  for (const chip of chips) chip.addEventListener("click", () => choose(chip.dataset.status));
  document.getElementById("reset").addEventListener("click", showAll);

  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && document.activeElement !== find && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      find.focus();
      find.select();
    } else if (event.key === "Escape" && document.activeElement === find) {
      find.value = "";
      update();
    }
  });

  // ---- Open and close. ----

  function setAll(open) {
    for (const item of items) {
      const details = item.querySelector("details");
      if (details && !item.hidden) details.open = open;
    }
  }

  document.getElementById("expand").addEventListener("click", () => setAll(true));
  document.getElementById("collapse").addEventListener("click", () => setAll(false));

  // ---- Differences: side by side, and for the clipboard. ----

  const split = document.getElementById("split");
  split.addEventListener("click", function () {
    split.setAttribute("aria-pressed", String(root.classList.toggle("split")));
  });

  // Pages from files may have no clipboard: then the text is selected and copied as by hand.
  function copyText(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    return Promise.resolve();
  }

  document.getElementById("objects").addEventListener("click", function (event) {
    const button = event.target.closest(".copy");
    const diff = button && button.closest(".body").querySelector(".diff");
    if (!diff) return;
    copyText(diff.textContent).then(
      () => (button.textContent = "Copied"),
      () => (button.textContent = "Copying is not allowed here"),
    );
    setTimeout(() => (button.textContent = "Copy the difference"), 2000);
  });

  // On paper a closed block cannot be opened any more.
  let opened = [];
  window.addEventListener("beforeprint", function () {
    opened = items
      .filter((item) => !item.hidden && isFinding(item))
      .map((item) => item.querySelector("details"))
      .filter((details) => details && !details.open);
    for (const details of opened) details.open = true;
  });
  window.addEventListener("afterprint", function () {
    for (const details of opened) details.open = false;
    opened = [];
  });

  // ---- Links to objects and components. ----

  function follow() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) showAll();
    const details = target.classList.contains("item") && target.querySelector("details");
    if (details) details.open = true;
    // Items on the way get their true height only when they come near: look twice.
    target.scrollIntoView();
    requestAnimationFrame(() => target.scrollIntoView());
  }

  window.addEventListener("hashchange", follow);
  document.querySelector(".tree").addEventListener("click", function (event) {
    const link = event.target.closest("a");
    if (link) setTimeout(follow);
  });

  // Which component is being read: the last whose heading has passed the bar.
  if ("IntersectionObserver" in window) {
    const visible = new Set();
    const observer = new IntersectionObserver(
      function (entries) {
        for (const entry of entries)
          if (entry.isIntersecting) visible.add(entry.target);
          else visible.delete(entry.target);
        const current = groups.find((g) => g.classList.contains("component") && visible.has(g));
        for (const link of links)
          if (current && link.hash === "#" + current.id) link.setAttribute("aria-current", "true");
          else link.removeAttribute("aria-current");
      },
      { rootMargin: "-140px 0px -40% 0px" }
    );
    groups.filter((g) => g.classList.contains("component")).forEach((g) => observer.observe(g));
  }

  // ---- Light and dark. ----

  const theme = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  // A browser may forbid storage to pages from files: then the choice lasts as long as the page.
  function stored(value) {
    try {
      if (value !== undefined) localStorage.setItem("plumb-theme", value);
      return localStorage.getItem("plumb-theme");
    } catch (error) {
      return null;
    }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  }

  function showTheme() {
    theme.setAttribute("aria-pressed", String(isDark()));
  }

  const kept = stored();
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  theme.addEventListener("click", function () {
    root.dataset.theme = isDark() ? "light" : "dark";
    stored(root.dataset.theme);
    showTheme();
  });
  system.addEventListener("change", showTheme);

  // ---- Begin. ----

  root.classList.toggle("many", items.length > 1500);
  document.querySelectorAll("[data-script]").forEach((element) => (element.hidden = false));
  showTheme();
  choose(items.some(isFinding) ? "findings" : "all");
  follow();
})();
