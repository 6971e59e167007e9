import type { FlagValue } from '@apiserver/component-base/flags';

/**
 * A flag of values that may name the component they are for: `kube:A=true,B=false`. Every occurrence adds to it.
 * Upstream: k8s.io/component-base/cli/flag.ColonSeparatedMultimapStringString
 */
export class ComponentValues implements FlagValue {
  readonly typeName: string;
  readonly isBoolean = false;
  readonly defaultText = undefined;
  readonly #entries: { readonly component: string; readonly value: string }[] = [];

  constructor(typeName: string) {
    this.typeName = typeName;
  }

  set(text: string): void {
    for (const entry of text.split(',').filter((part) => part !== '')) {
      const at = entry.indexOf(':');
      const component = at < 0 ? '' : entry.slice(0, at).trim();
      this.#entries.push({ component, value: entry.slice(at + 1).trim() });
    }
  }

  /** The components that were named, "" for none. */
  components(): readonly string[] {
    return [...new Set(this.#entries.map(({ component }) => component))];
  }

  /** The values given for any of them, in order. */
  values(): readonly string[] {
    return this.#entries.map(({ value }) => value);
  }

  toString(): string {
    return this.#entries
      .map(({ component, value }) => `${component}:${value}`)
      .sort()
      .join(',');
  }
}
