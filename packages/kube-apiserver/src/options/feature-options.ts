import { messageOf } from '@apiserver/apimachinery/errors';
import type { FeatureGate } from '@apiserver/component-base/feature-gates';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { createKubeFeatureGate, unbuiltFeatures } from '../features/kube-feature-gate.js';
import { ComponentValues } from './component-values.js';

const COMPONENT = 'kube';
/** The release that this server emulates, and the oldest with which it is compatible. */
const EMULATED_VERSION = '1.36';
const MIN_COMPATIBILITY_VERSION = '1.35';

const GATES_USAGE = [
  'Comma-separated component:key=value pairs that switch features of a component on or off. Without a component,',
  `"${COMPONENT}" is meant. Repeatable. The list of all features follows the flags.`,
].join('\n');

/**
 * The enabled features, and the emulated release.
 * Upstream: k8s.io/component-base/compatibility.ComponentGlobalsRegistry
 */
export class FeatureOptions {
  /** `--feature-gates` as given; `gate` is the result. */
  readonly #wanted = new ComponentValues('colonSeparatedMultimapStringString');
  /** `--emulated-version`: nothing but this release is built. */
  emulatedVersion: readonly string[] = [];
  /** `--min-compatibility-version`: nothing but the default is built. */
  minCompatibilityVersion: readonly string[] = [];
  /**
   * `--emulation-forward-compatible`, `--runtime-config-emulation-forward-compatible`: meaningless without emulation.
   */
  forwardCompatible = { emulation: false, runtimeConfig: false };
  /** `validate` sets its gates. */
  readonly gate: FeatureGate = createKubeFeatureGate();
  #warnings: readonly string[] = [];

  addFlags(flags: FlagSet): void {
    flags.add('feature-gates', this.#wanted, GATES_USAGE);
    flags.stringSlice(
      'emulated-version',
      field(this, 'emulatedVersion'),
      `Version whose behavior components emulate. Only kube=${EMULATED_VERSION} is supported.`,
    );
    flags.stringSlice(
      'min-compatibility-version',
      field(this, 'minCompatibilityVersion'),
      `Oldest version that components must be compatible with. Only kube=${MIN_COMPATIBILITY_VERSION} is supported.`,
    );
    this.#addForwardFlags(flags);
  }

  #addForwardFlags(flags: FlagSet): void {
    flags.bool(
      'emulation-forward-compatible',
      field(this.forwardCompatible, 'emulation'),
      'Serve later versions of enabled APIs beyond the emulated version. Requires an emulated version below the one of this server.',
    );
    flags.bool(
      'runtime-config-emulation-forward-compatible',
      field(this.forwardCompatible, 'runtimeConfig'),
      'Serve APIs of --runtime-config that are newer than the emulated version. Requires an emulated version below the one of this server.',
    );
  }

  /** Sets the gates from the flags. Call once. */
  validate(): readonly Error[] {
    const messages = [
      ...this.#setGates(),
      ...validateVersions('emulated-version', this.emulatedVersion, EMULATED_VERSION),
      ...validateVersions('min-compatibility-version', this.minCompatibilityVersion, MIN_COMPATIBILITY_VERSION),
    ];
    return [...messages, ...this.#validateForward()].map((message) => new Error(message));
  }

  /** This server always emulates its own version. Upstream: ServerRunOptions.Validate of k8s.io/apiserver */
  #validateForward(): readonly string[] {
    const { emulation, runtimeConfig } = this.forwardCompatible;
    const names = [
      ...(emulation ? ['EmulationForwardCompatible'] : []),
      ...(runtimeConfig ? ['RuntimeConfigEmulationForwardCompatible'] : []),
    ];
    const reason = 'cannot be set to true if the emulation version is the same as the binary version';
    return names.map((name) => `ServerRunOptions.${name} ${reason}`);
  }

  /** One line for each feature that `--feature-gates` accepts, as in upstream's help. */
  knownFeatures(): readonly string[] {
    return this.gate.knownFeatures().map((line) => `${COMPONENT}:${line}`);
  }

  /** Warnings about deprecated gates. Call `validate` first. */
  warnings(): readonly string[] {
    return this.#warnings;
  }

  #setGates(): readonly string[] {
    const unknown = this.#wanted.components().find((component) => !isKnown(component));
    if (unknown !== undefined) return [`component not registered: ${unknown}`];
    if (this.#wanted.values().length === 0) return [];
    try {
      this.#warnings = this.gate.set(this.#wanted.values().join(','));
    } catch (error) {
      return [messageOf(error)];
    }
    return unbuiltFeatures(this.gate);
  }
}

function isKnown(component: string): boolean {
  return component === '' || component === COMPONENT;
}

function validateVersions(flag: string, entries: readonly string[], built: string): string[] {
  return entries.flatMap((entry) => {
    const [component = '', version] = entry.includes('=') ? entry.split('=', 2) : [COMPONENT, entry];
    if (!isKnown(component)) return [`component not registered: ${component}`];
    return version === built ? [] : [`--${flag}: ${entry} is not built; this server is fixed to ${built}`];
  });
}
