import { messageOf } from '@apiserver/apimachinery/errors';
import type { FeatureGate } from '@apiserver/component-base/feature-gates';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { EffectiveVersion } from '@apiserver/component-base/version';
import type { Emulation, ForwardCompatibility } from '../api-enablement/introduced-resources.js';
import { createKubeFeatureGate, unbuiltFeatures } from '../features/kube-feature-gate.js';
import { ComponentValues } from './component-values.js';
import { COMPONENT, DEFAULT_EFFECTIVE_VERSION, readEffectiveVersion, type VersionFlags } from './effective-version.js';

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
  /** `--emulated-version`, `--min-compatibility-version`; `effective` is the result. */
  readonly #versions: VersionFlags = { emulated: [], minCompatibility: [] };
  #effective = DEFAULT_EFFECTIVE_VERSION;
  /** `--emulation-forward-compatible`, `--runtime-config-emulation-forward-compatible`: meaningless without emulation. */
  readonly forwardCompatible: ForwardCompatibility = { emulation: false, runtimeConfig: false };
  /** `validate` sets its gates. */
  readonly gate: FeatureGate = createKubeFeatureGate();
  #warnings: readonly string[] = [];

  addFlags(flags: FlagSet): void {
    flags.add('feature-gates', this.#wanted, GATES_USAGE);
    flags.stringSlice(
      'emulated-version',
      field(this.#versions, 'emulated'),
      'Version whose behavior components emulate: kube=1.35 or kube=1.36, the default.',
    );
    flags.stringSlice(
      'min-compatibility-version',
      field(this.#versions, 'minCompatibility'),
      'Oldest version that components must be compatible with: kube=1.34 or later, at most the emulated version. Default: the version before that.',
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
    const versions = this.#setVersions();
    const messages = [...this.#setGates(), ...versions];
    return [...messages, ...this.#validateForward()].map((message) => new Error(message));
  }

  /** The emulated release, and the oldest compatible one. Call `validate` first. */
  get effective(): EffectiveVersion {
    return this.#effective;
  }

  #setVersions(): readonly string[] {
    try {
      const { effective, faults } = readEffectiveVersion(this.#versions);
      if (faults.length > 0) return faults;
      this.#effective = effective;
    } catch (error) {
      return [messageOf(error)];
    }
    const { emulationMinor: minor, minCompatibilityMinor } = this.#effective;
    this.gate.emulate({ minor, minCompatibilityMinor });
    return [];
  }

  /** The older release that is emulated, if any. Call `validate` first. */
  get emulation(): Emulation | undefined {
    const { emulationMinor: minor } = this.#effective;
    return this.#isEmulating ? { minor, forward: this.forwardCompatible } : undefined;
  }

  get #isEmulating(): boolean {
    return this.#effective.emulationMinor !== DEFAULT_EFFECTIVE_VERSION.emulationMinor;
  }

  /** Upstream: ServerRunOptions.Validate of k8s.io/apiserver */
  #validateForward(): readonly string[] {
    if (this.#isEmulating) return [];
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

  /** Warnings about deprecated gates, and about alpha features of an emulated release. Call `validate` first. */
  warnings(): readonly string[] {
    const alpha = this.gate.states().filter(({ stage, enabled }) => stage === 'ALPHA' && enabled);
    if (!this.#isEmulating || alpha.length === 0) return this.#warnings;
    const names = alpha.map(({ name }) => name).join(' ');
    const unsupported = 'component has alpha features enabled in emulated version, this is unsupported';
    return [...this.#warnings, `${unsupported}: features=[${names}]`];
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
