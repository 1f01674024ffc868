// What the page keeps in the browser. A browser that refuses to store is not an error.

const PREFIX = "hyperslide.";

export function read<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

/** Returns whether it is stored. */
export function write(name: string, value: unknown): boolean {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    // Private windows and full stores refuse; the page works without.
    return false;
  }
}

/** The names of all that is stored under names that begin like this. */
export function names(beginning: string): string[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(PREFIX + beginning))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}
