// Lists that reach beyond the edge, where nobody would look, and dialogs that open at their end.
() => {
  const lists = document.querySelectorAll("#people, #log, #mine, #gold, #topics, #quality, #imports");
  const found = [...lists].filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.id);
  for (const dialog of document.querySelectorAll("dialog[open]")) {
    if (dialog.scrollTop > 0) found.push(`${dialog.id} does not begin at its beginning`);
    const inner = dialog.getBoundingClientRect();
    const close = [...dialog.querySelectorAll("button")].at(-1).getBoundingClientRect();
    if (dialog.id === "look" && close.bottom > inner.bottom - 8) found.push("the button of look");
  }
  return found;
}
