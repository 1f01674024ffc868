// Copying, which browsers allow on secure pages only.

/** Copies a text, and returns whether the browser did. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
