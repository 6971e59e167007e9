import type { FlagValue } from '@apiserver/generic-server';

/** What `--version` asks for. A version itself would pretend to be another release, which is not built. */
export type VersionRequest = 'no' | 'short' | 'raw';

/**
 * `--version`, `--version=true|false|raw`. Upstream: k8s.io/component-base/version/verflag
 */
export class VersionFlag implements FlagValue {
  readonly typeName = 'version';
  readonly isBoolean = true;
  readonly defaultText = undefined;
  request: VersionRequest = 'no';

  /** Throws an Error with upstream's text. */
  set(text: string): void {
    if (text === 'raw') this.request = 'raw';
    else if (/^(1|t|T|TRUE|true|True)$/.test(text)) this.request = 'short';
    else if (/^(0|f|F|FALSE|false|False)$/.test(text)) this.request = 'no';
    else throw new Error(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
  }

  toString(): string {
    return this.request === 'raw' ? 'raw' : String(this.request === 'short');
  }
}
