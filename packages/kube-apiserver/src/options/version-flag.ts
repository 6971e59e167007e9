import { ParseError, parseBool, quote } from '@apiserver/apimachinery/text';
import type { FlagValue } from '@apiserver/component-base/flags';
import { parseSemanticVersion } from './semantic-version.js';

/** The form of `--version`; "set" overrides the version that the server reports. */
export type VersionRequest = 'no' | 'short' | 'raw' | 'set';

/**
 * `--version`, `--version=true|false|raw`, and `--version=v1.36.0-mine`, which sets the reported version: of the same
 * major, minor and patch. Upstream: k8s.io/component-base/version/verflag, and version.SetDynamicVersion
 */
export class VersionFlag implements FlagValue {
  readonly typeName = 'version';
  readonly isBoolean = true;
  readonly defaultText = undefined;
  request: VersionRequest = 'no';
  /** The reported version; by default that of the build. */
  gitVersion: string;
  readonly #ownVersion: string;

  /** `ownVersion` is the build's. */
  constructor(ownVersion: string) {
    this.#ownVersion = ownVersion;
    this.gitVersion = ownVersion;
  }

  /** Throws a ParseError with upstream's text. */
  set(text: string): void {
    if (text.startsWith('v')) this.#setVersion(text);
    else this.request = requestOf(text);
  }

  toString(): string {
    if (this.request === 'set') return this.gitVersion;
    return this.request === 'raw' ? 'raw' : String(this.request === 'short');
  }

  #setVersion(text: string): void {
    if (text !== this.#ownVersion) {
      const [own, wanted] = [parseSemanticVersion(this.#ownVersion), parseSemanticVersion(text)];
      if (own.major !== wanted.major || own.minor !== wanted.minor || own.patch !== wanted.patch) {
        const [said, mine] = [quote(text), quote(this.#ownVersion)];
        throw new ParseError(`version ${said} must match major/minor/patch of default version ${mine}`);
      }
    }
    this.gitVersion = text;
    this.request = 'set';
  }
}

function requestOf(text: string): VersionRequest {
  if (text === 'raw') return 'raw';
  return parseBool(text) ? 'short' : 'no';
}
