/** What a vertex was pressed with. */
export type Hand = "mouse" | "touch" | "keys";

export const handOf = (event: PointerEvent): Hand => (event.pointerType === "touch" ? "touch" : "mouse");
