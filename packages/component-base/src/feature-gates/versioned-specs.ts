/** The maturity of a feature. Upstream: featuregate.prerelease, with the names PRE-ALPHA, ALPHA, BETA, "" and DEPRECATED */
export type FeatureStage = 'PRE-ALPHA' | 'ALPHA' | 'BETA' | '' | 'DEPRECATED';

/** The properties of a gate from one release on, until its next entry. */
export interface FeatureSpec {
  /** A minor release of Kubernetes: 36 for 1.36. */
  readonly sinceMinor: number;
  readonly stage: FeatureStage;
  readonly default: boolean;
  /** The default cannot be changed any more. */
  readonly lockToDefault: boolean;
}

/**
 * The history of a gate in words: `alpha 1.32, beta 1.33 on, ga 1.36 on locked`. Without `on` the feature is off by
 * default. Entries go by release; of several entries of one release the last one counts.
 */
export type FeatureHistory = string;

const STAGES: Readonly<Record<string, FeatureStage>> = {
  alpha: 'ALPHA',
  beta: 'BETA',
  ga: '',
  deprecated: 'DEPRECATED',
};

/** Parses a history. Throws a TypeError for an invalid one, which is a mistake in a table. */
export function parseFeatureHistory(history: FeatureHistory): readonly FeatureSpec[] {
  return history.split(', ').map((entry) => {
    const [, word = '', minor = '', on, locked] = /^([a-z]+) 1\.(\d+)( on)?( locked)?$/.exec(entry) ?? [];
    const stage = STAGES[word];
    if (stage === undefined) throw new TypeError(`${entry} is no entry of a feature gate`);
    return { sinceMinor: Number(minor), stage, default: on !== undefined, lockToDefault: locked !== undefined };
  });
}

/** The properties of a gate in a release; undefined before its introduction. Upstream: featureSpecAtEmulationVersion */
export function specAt(specs: readonly FeatureSpec[], minor: number): FeatureSpec | undefined {
  return specs.findLast(({ sinceMinor }) => sinceMinor <= minor);
}
