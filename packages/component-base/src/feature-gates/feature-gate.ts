import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { ParseError, parseBool } from '@apiserver/apimachinery/text';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import {
  type FeatureHistory,
  type FeatureSpec,
  type FeatureStage,
  parseFeatureHistory,
  specAt,
} from './versioned-specs.js';

/** The gates that a program knows, by name. */
export type FeatureTable = Readonly<Record<string, FeatureHistory>>;

/** The state of one gate. */
export interface FeatureState {
  readonly name: string;
  readonly stage: FeatureStage;
  readonly default: boolean;
  readonly enabled: boolean;
}

/** The gates of a program, and its release. */
export interface FeatureGateOptions {
  readonly table: FeatureTable;
  /** The minor release of Kubernetes that this is: 36 for 1.36. */
  readonly minor: number;
  /** The gates that a gate requires, by name. */
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
}

/** A release whose gates are emulated, by its minor number, and the oldest release with which it is compatible. */
export interface EmulatedRelease {
  readonly minor: number;
  readonly minCompatibilityMinor: number;
}

const PRE_ALPHA = 'PRE-ALPHA';

/** A gate that the emulated release does not have. */
const LATER: FeatureSpec = { sinceMinor: 0, stage: PRE_ALPHA, default: false, lockToDefault: false };

/** Gates that set all gates of a stage. */
const ALL: Readonly<Record<string, FeatureSpec>> = {
  AllAlpha: { sinceMinor: 0, stage: 'ALPHA', default: false, lockToDefault: false },
  AllBeta: { sinceMinor: 0, stage: 'BETA', default: false, lockToDefault: false },
};

/**
 * The feature gates of a program: known, requested and enabled ones. A history is read on the first use of its gate.
 * Upstream: k8s.io/component-base/featuregate/feature_gate.go
 */
export class FeatureGate implements FeatureGates {
  readonly #options: FeatureGateOptions;
  #emulated: EmulatedRelease;
  /** The gates set by name, and those that AllAlpha and AllBeta changed. */
  #enabled: ReadonlyMap<string, boolean> = new Map();
  readonly #specs = new Map(Object.entries(ALL));

  constructor(options: FeatureGateOptions) {
    this.#options = options;
    this.#emulated = { minor: options.minor, minCompatibilityMinor: options.minor - 1 };
  }

  /**
   * Gives gates the defaults and locks of an older release. Later gates are off and locked. Call it before `set`.
   * Upstream: SetEmulationVersionAndMinCompatibilityVersion
   */
  emulate(release: EmulatedRelease): void {
    this.#emulated = release;
    this.#specs.clear();
    for (const [name, spec] of Object.entries(ALL)) this.#specs.set(name, spec);
  }

  enabled(name: string): boolean {
    const spec = this.#specOf(name);
    if (spec === undefined) throw new TypeError(`feature "${name}" is not registered in FeatureGates`);
    return this.#enabled.get(name) ?? spec.default;
  }

  /**
   * Parses `A=true,B=false`. Returns warnings for deprecated gates. Throws a ParseError with upstream's text for an
   * unknown gate, an invalid boolean, or a locked gate; then nothing has changed.
   */
  set(text: string): readonly string[] {
    const wanted = new Map<string, boolean>();
    for (const entry of text.split(',').filter((part) => part !== '')) {
      const [name, value] = parseEntry(entry);
      wanted.set(name, value);
    }
    const warnings = this.#check(wanted);
    const enabled = new Map([...this.#enabled, ...wanted]);
    for (const [name, value] of wanted) {
      const stage = ALL[name]?.stage;
      if (stage !== undefined) this.#setAll(enabled, stage, value);
    }
    refuse(this.#unmetDependencies(enabled));
    this.#enabled = enabled;
    return warnings;
  }

  /** All gates, by name. */
  states(): readonly FeatureState[] {
    return [...this.#all()]
      .filter(([, { stage }]) => stage !== PRE_ALPHA)
      .map(([name, { stage, default: byDefault }]) => ({
        name,
        stage,
        default: byDefault,
        enabled: this.enabled(name),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The gates that a user may set, as the help lists them. Upstream: KnownFeatures */
  knownFeatures(): readonly string[] {
    return this.states()
      .filter(({ stage }) => stage === 'ALPHA' || stage === 'BETA')
      .map(({ name, stage, default: byDefault }) => `${name}=true|false (${stage} - default=${byDefault})`);
  }

  /** Reads one history; undefined for an unknown gate of this release. */
  #specOf(name: string): FeatureSpec | undefined {
    const known = this.#specs.get(name);
    if (known !== undefined) return known;
    const { table, minor } = this.#options;
    const history = Object.hasOwn(table, name) ? table[name] : undefined;
    const specs = history === undefined ? [] : parseFeatureHistory(history);
    const isKnown = specAt(specs, minor) !== undefined;
    const spec = isKnown ? (specAt(specs, this.#emulated.minor) ?? LATER) : undefined;
    if (spec !== undefined) this.#specs.set(name, spec);
    return spec;
  }

  /** Every gate of this release. */
  #all(): ReadonlyMap<string, FeatureSpec> {
    for (const name of Object.keys(this.#options.table)) this.#specOf(name);
    return this.#specs;
  }

  #check(wanted: ReadonlyMap<string, boolean>): readonly string[] {
    const faults: string[] = [];
    const warnings: string[] = [];
    for (const [name, value] of wanted) {
      const spec = this.#specOf(name);
      if (spec === undefined) {
        // Upstream stops here.
        faults.push(`unrecognized feature gate: ${name}`);
        break;
      }
      if (spec.lockToDefault && spec.default !== value) {
        faults.push(`cannot set feature gate ${name} to ${value}, feature is locked to ${spec.default}`);
      }
      if (spec.stage === PRE_ALPHA) faults.push(this.#notYet(name, value));
      const kind = { '': 'GA', DEPRECATED: 'deprecated', ALPHA: '', BETA: '', 'PRE-ALPHA': '' }[spec.stage];
      if (kind !== '') {
        warnings.push(`Setting ${kind} feature gate ${name}=${value}. It will be removed in a future release.`);
      }
    }
    refuse(faults);
    return warnings;
  }

  #notYet(name: string, value: boolean): string {
    const { minor, minCompatibilityMinor } = this.#emulated;
    const versions = `emulated version 1.${minor}, min compatibility version 1.${minCompatibilityMinor}`;
    return `cannot set feature gate ${name} to ${value}, feature is PreAlpha at ${versions}`;
  }

  /** Gates that were set by name stay as they are. Mutates. */
  #setAll(enabled: Map<string, boolean>, wanted: FeatureStage, value: boolean): void {
    for (const [name, { stage }] of this.#all()) {
      if (stage === wanted && !Object.hasOwn(ALL, name) && !enabled.has(name)) enabled.set(name, value);
    }
  }

  #unmetDependencies(enabled: ReadonlyMap<string, boolean>): readonly string[] {
    const isOn = (name: string) => enabled.get(name) ?? this.#specOf(name)?.default ?? false;
    return Object.entries(this.#options.dependencies ?? {}).flatMap(([name, needed]) => {
      const missing = isOn(name) ? needed.filter((other) => !isOn(other)).sort() : [];
      if (missing.length === 0) return [];
      return [`${name} is enabled, but depends on features that are disabled: [${missing.join(' ')}]`];
    });
  }
}

/** Throws a ParseError with all faults, if there are any. */
function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new ParseError(aggregateMessages(faults));
}

function parseEntry(entry: string): readonly [name: string, value: boolean] {
  const at = entry.indexOf('=');
  const name = (at < 0 ? entry : entry.slice(0, at)).trim();
  if (at < 0) throw new ParseError(`missing bool value for ${name}`);
  const text = entry.slice(at + 1).trim();
  try {
    return [name, parseBool(text)];
  } catch (error) {
    throw new ParseError(`invalid value of ${name}=${text}, err: ${messageOf(error)}`);
  }
}
