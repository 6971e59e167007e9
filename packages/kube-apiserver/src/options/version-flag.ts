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

  /** Throws an Error with upstream's text. */
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
        const [said, mine] = [JSON.stringify(text), JSON.stringify(this.#ownVersion)];
        throw new Error(`version ${said} must match major/minor/patch of default version ${mine}`);
      }
    }
    this.gitVersion = text;
    this.request = 'set';
  }
}

function requestOf(text: string): VersionRequest {
  if (text === 'raw') return 'raw';
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return 'short';
  if (/^(0|f|F|FALSE|false|False)$/.test(text)) return 'no';
  throw new Error(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
}
