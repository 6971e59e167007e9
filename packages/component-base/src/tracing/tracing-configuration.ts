import { readFileSync } from 'node:fs';
import { errorOf, goFileError, messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors, type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { INLINE, INT32, OMIT_EMPTY, POINTER, STRING, struct } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import { schemeOf } from '@apiserver/apimachinery/validation';
import { urlFault } from '@apiserver/apimachinery/values';
import { configurationKinds, decodeConfiguration } from '../configuration/index.js';
import { StartupError } from '../process/index.js';

/**
 * The traced part of the requests, and the collector of their spans.
 * Upstream: k8s.io/component-base/tracing/api/v1.TracingConfiguration
 */
export interface TracingConfiguration {
  /** A target of gRPC, without TLS. Default: localhost:4317. */
  readonly endpoint?: string;
  /** Requests of a million that are traced without their client's wish. Default: none. */
  readonly samplingRatePerMillion?: number;
}

/** The source line by which upstream names the scheme. */
const SCHEME = 'pkg/server/options/tracing.go:49';

const GROUP = 'apiserver.config.k8s.io';
const KIND = 'TracingConfiguration';
const INTERNAL = '__internal';

/**
 * Reads the file of `--tracing-config-file`. Throws a StartupError with upstream's message.
 * Upstream: TracingOptions.ApplyTo of k8s.io/apiserver/pkg/server/options
 */
export function readTracingConfiguration(path: string): TracingConfiguration {
  const configuration = read(path);
  const errors = validateTracing(configuration);
  if (errors.length === 0) return configuration;
  throw new StartupError(`failed to validate tracing configuration: ${aggregateFieldErrors(errors)}`);
}

function read(path: string): TracingConfiguration {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const reason = goFileError('open', path, errorOf(error));
    const message = `unable to read tracing configuration from ${quote(path)}: ${reason}`;
    throw new StartupError(`failed to read tracing config: ${message}`, { cause: error });
  }
  try {
    // Upstream decodes into an object, whose kind counts where the file states none.
    const defaultKind = { group: GROUP, version: INTERNAL, kind: KIND };
    return decodeConfiguration<TracingConfiguration>(bytes, { kinds: kinds(), name: SCHEME, defaultKind }).object;
  } catch (error) {
    const reason = `unable to decode tracing configuration data: ${messageOf(error)}`;
    throw new StartupError(`failed to read tracing config: ${reason}`, { cause: error });
  }
}

function kinds() {
  const schema = struct('v1.TracingConfiguration', 'v1.TracingConfiguration', () => [
    ['kind', 0, STRING, OMIT_EMPTY],
    ['apiVersion', 0, STRING, OMIT_EMPTY],
    // Upstream embeds the type of k8s.io/component-base, which errors about fields show.
    ['TracingConfiguration', 0, tracing(), INLINE],
  ]);
  return configurationKinds(schema, [
    [GROUP, INTERNAL, KIND],
    [GROUP, 'v1', KIND],
    [GROUP, 'v1beta1', KIND],
    [GROUP, 'v1alpha1', KIND],
  ]);
}

function tracing() {
  return struct('tracing.TracingConfiguration', 'v1.TracingConfiguration', () => [
    ['endpoint', 1, STRING, OMIT_EMPTY + POINTER],
    ['samplingRatePerMillion', 2, INT32, OMIT_EMPTY + POINTER],
  ]);
}

const MILLION = 1_000_000;
const TARGETS: readonly string[] = ['dns', 'unix', 'unix-abstract'];
const HELP =
  'Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md';

/** Upstream: ValidateTracingConfiguration of k8s.io/component-base/tracing/api/v1 */
function validateTracing({ samplingRatePerMillion: rate, endpoint }: TracingConfiguration): readonly FieldError[] {
  const errors: FieldError[] = [];
  const ratePath = FieldPath.of('samplingRatePerMillion');
  if (rate !== undefined && rate < 0) errors.push(fieldInvalid(ratePath, rate, 'sampling rate must be positive'));
  if (rate !== undefined && rate > MILLION) {
    errors.push(fieldInvalid(ratePath, rate, 'sampling rate per million must be less than or equal to one million'));
  }
  if (endpoint === undefined) return errors;
  const path = FieldPath.of('endpoint');
  const target = endpoint.includes('//') ? endpoint : `dns://${endpoint}`;
  const fault = urlFault(target);
  const scheme = schemeOf(target);
  if (fault !== undefined) errors.push(fieldInvalid(path, target, fault));
  else if (!TARGETS.includes(scheme)) {
    errors.push(fieldInvalid(path, target, `unsupported scheme: ${scheme}.  ${HELP}`));
  }
  return errors;
}
