import { readFileSync } from 'node:fs';
import { parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { errorOf, goFileError, messageOf } from '@apiserver/apimachinery/errors';
import { type FieldError, FieldPath, fieldErrorMessage, fieldInvalid } from '@apiserver/apimachinery/field';
import { isMembers } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { FlagSet } from '../flags/flag-set.js';
import { field, stringToStringValue } from '../flags/flag-value.js';
import { API_LEVEL } from '../version/version-info.js';
import { allowedValuesOf } from './metric-settings.js';
import type { MetricsRegistry } from './metrics-registry.js';

const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*';
const METRIC = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const MAPPING_KEY = new RegExp(`^${METRIC},${LABEL}$`);
const METRIC_NAME = new RegExp(`^${METRIC}$`);
const MAPPING_RULE = `must have keys with format \`metricName,labelName\` where metricName matches ${quote(METRIC)} and labelName matches ${quote(LABEL)}`;

/** Features of metrics. */
export interface MetricFeatures {
  /** See MetricSettings. Default: false. */
  readonly nativeHistograms?: boolean;
}

/** Options of the metrics that a server shows. Upstream: k8s.io/component-base/metrics.Options */
export class MetricsOptions {
  /** `--show-hidden-metrics-for-version`: the previous release, or "". */
  showHiddenFor = '';
  /** `--disabled-metrics` */
  disabled: readonly string[] = [];
  /** `--allow-metric-labels`: `metric,label` to allowed values. */
  allowedLabels: Readonly<Record<string, string>> = {};
  /** `--allow-metric-labels-manifest` */
  allowedLabelsFile = '';

  addFlags(flags: FlagSet): void {
    flags.string(
      'show-hidden-metrics-for-version',
      field(this, 'showHiddenFor'),
      `Previous release whose metrics are shown although this release hides them. Only ${PREVIOUS} is possible.`,
    );
    flags.stringSlice(
      'disabled-metrics',
      field(this, 'disabled'),
      'Full names of metrics to leave out. Takes precedence over --show-hidden-metrics-for-version.',
    );
    flags.add(
      'allow-metric-labels',
      stringToStringValue(field(this, 'allowedLabels')),
      'Allowed values of labels, as "metric,label=value,value". Other values count as "unexpected".',
    );
    flags.string(
      'allow-metric-labels-manifest',
      field(this, 'allowedLabelsFile'),
      'YAML file with the mapping of --allow-metric-labels. Only one of the two flags may be set.',
    );
  }

  validate(): readonly Error[] {
    const path = FieldPath.of('metrics');
    const errors = [
      ...this.#validateHidden(path.child('showHiddenMetricsForVersion')),
      ...this.#validateDisabled(path.child('disabledMetrics')),
      ...validateMapping(this.allowedLabels, path.child('allowListMapping')),
      ...this.#validateFile(path.child('allowListMappingManifest')),
      ...this.#validateBoth(path),
    ];
    return errors.map((error) => new Error(fieldErrorMessage(error)));
  }

  /** Call `validate` first. */
  applyTo(registry: MetricsRegistry, { nativeHistograms = false }: MetricFeatures = {}): void {
    const mapping = this.#hasMapping ? this.allowedLabels : this.#readFile();
    registry.configure({
      showHidden: this.showHiddenFor !== '',
      disabled: new Set(this.disabled),
      allowedValues: allowedValuesOf(Object.entries(mapping)),
      nativeHistograms,
    });
  }

  get #hasMapping(): boolean {
    return Object.keys(this.allowedLabels).length > 0;
  }

  #validateHidden(path: FieldPath): readonly FieldError[] {
    if (this.showHiddenFor === '' || this.showHiddenFor === PREVIOUS) return [];
    const detail = `must be omitted or have the value '${PREVIOUS}'; only the previous minor version is allowed`;
    return [fieldInvalid(path, this.showHiddenFor, detail)];
  }

  #validateDisabled(path: FieldPath): readonly FieldError[] {
    const wrong = this.disabled.find((name) => !METRIC_NAME.test(name));
    if (wrong === undefined) return [];
    const rule = `must be fully qualified metric names matching ${quote(METRIC_NAME.source)}, got ${quote(wrong)}`;
    return [fieldInvalid(path, this.disabled, rule)];
  }

  #validateFile(path: FieldPath): readonly FieldError[] {
    const file = this.allowedLabelsFile;
    try {
      const errors = validateMapping(this.#readFile(), path);
      if (errors.length === 0) return [];
      const all = errors.map(fieldErrorMessage).join(' ');
      return [fieldInvalid(path, file, `invalid allow list mapping in manifest: [${all}]`)];
    } catch (error) {
      return [fieldInvalid(path, file, messageOf(error))];
    }
  }

  #validateBoth(path: FieldPath): readonly FieldError[] {
    if (!this.#hasMapping || this.allowedLabelsFile === '') return [];
    const configuration = {
      ...(this.showHiddenFor === '' ? {} : { showHiddenMetricsForVersion: this.showHiddenFor }),
      ...(this.disabled.length === 0 ? {} : { disabledMetrics: this.disabled }),
      allowListMapping: this.allowedLabels,
      allowListMappingManifest: this.allowedLabelsFile,
    };
    return [fieldInvalid(path, configuration, 'cannot specify both allowListMapping and allowListMappingManifest')];
  }

  /** Throws a ManifestError. */
  #readFile(): Readonly<Record<string, string>> {
    const file = this.allowedLabelsFile;
    return file === '' ? {} : readMapping(file);
  }
}

const PREVIOUS = `${API_LEVEL.major}.${API_LEVEL.minor - 1}`;

/** A manifest that cannot be used. */
class ManifestError extends Error {}

function readMapping(file: string): Readonly<Record<string, string>> {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new ManifestError(`failed to read allow list manifest: ${goFileError('open', file, errorOf(error))}`);
  }
  try {
    return textsOf(parseYaml(bytes));
  } catch (error) {
    throw new ManifestError(`failed to parse allow list manifest: ${messageOf(error)}`);
  }
}

/** Upstream's error names the line, which is not known here. */
function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (value === null || value === undefined) return {};
  if (!isMembers(value)) throw new ManifestError('yaml: unmarshal errors: cannot unmarshal into map[string]string');
  const wrong = Object.entries(value).find(([, text]) => typeof text === 'object' && text !== null);
  if (wrong !== undefined) {
    const tag = Array.isArray(wrong[1]) ? '!!seq' : '!!map';
    throw new ManifestError(`yaml: unmarshal errors: ${quote(wrong[0])}: cannot unmarshal ${tag} into string`);
  }
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, text === null ? '' : String(text)]));
}

function validateMapping(mapping: Readonly<Record<string, string>>, path: FieldPath): readonly FieldError[] {
  const isValid = Object.keys(mapping).every((key) => MAPPING_KEY.test(key));
  return isValid ? [] : [fieldInvalid(path, mapping, MAPPING_RULE)];
}
