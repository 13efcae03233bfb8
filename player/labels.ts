/** Corrects roles and names that media-chrome gives its elements. Call when the elements are connected, because they set their own then. */
export function correctLabels(controls: HTMLElement): void {
  controls.querySelector("media-captions-button")?.setAttribute("role", "switch"); // a button has no `aria-checked`
  for (const menu of controls.querySelectorAll("media-settings-menu, media-settings-menu [slot=submenu]")) {
    const back = menu.shadowRoot?.querySelector("button[part~=back]");
    const title = menu.querySelector(":scope > [slot=title]")?.textContent ?? "Settings";
    back?.setAttribute("role", "menuitem"); // a menu contains items only
    back?.setAttribute("aria-label", `${title}: back`);
  }
}
