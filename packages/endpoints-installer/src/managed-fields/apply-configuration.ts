import type { DeepReadonly, JsonObject, KubeObject } from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { type YamlDocument, type YamlText, yamlToJson } from '@apiserver/apimachinery/codec/yaml';
import {
  DecodeError,
  isDecodeError,
  newBadRequest,
  newConflict,
  type StatusError,
} from '@apiserver/apimachinery/errors';
import type { Exchange } from '@apiserver/apiserver-contracts';
import { refuseManyCborItems, refuseManyMembers, refuseManyValues, refuseManyValuesIn } from '../body/body-values.js';
import type { ReadYaml } from '../body/large-yaml.js';
import { goJsonType } from '../body/type-meta.js';
import { warnStrictErrors } from '../body/warn-strict-errors.js';
import { APPLY_CBOR_PATCH, type ApplyType } from '../negotiation/patch-types.js';
import type { ValidationDirective } from '../options/write-options.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/** A server-side apply as received. */
export interface ApplyInput {
  readonly scope: EndpointScope;
  readonly exchange: Exchange;
  /** In the path. */
  readonly name: string;
  readonly type: ApplyType;
  readonly bytes: Uint8Array;
  /** Of large YAML. */
  readonly readYaml: ReadYaml | undefined;
  readonly manager: string;
  readonly force: boolean;
  readonly directive: ValidationDirective;
}

/**
 * Reads an apply configuration: YAML, JSON, or CBOR. Its errors are thrown on every application. Duplicate keys are
 * checked last: conflicts precede them.
 *
 * Upstream: applyPatcher in k8s.io/apiserver/pkg/endpoints/handlers/patch.go
 */
export function applyMechanism(input: ApplyInput): {
  apply(live: DeepReadonly<KubeObject> | undefined): KubeObject;
  /** The same in steps, for large objects. */
  applyInSteps(live: DeepReadonly<KubeObject> | undefined): Generator<void, KubeObject>;
} {
  const { scope, exchange, name, manager, force, directive } = input;
  let configuration: Configuration | undefined;
  const finished = (live: object | undefined, duplicates: string | undefined, object: KubeObject) => {
    reportDuplicates(exchange, duplicates, directive);
    if (live === undefined && object.metadata.uid) throw uidMismatch(scope, name, object.metadata.uid);
    return object;
  };
  return {
    apply: (live) => {
      configuration ??= atOnce(readConfigurationSteps(input));
      const object = scope.fieldManager.apply(live, { applied: configuration.value, manager, force });
      return finished(live, configuration.duplicates, object);
    },
    applyInSteps: function* (live) {
      let duplicates: string | undefined;
      // Read for this attempt only: it takes as much memory as the object.
      const readApplied = function* () {
        const read = yield* readConfigurationSteps(input);
        duplicates = read.duplicates;
        return read.value;
      };
      const applied = yield* scope.fieldManager.applyInSteps(live, { readApplied, manager, force });
      yield* scope.fieldManager.setOwnersInSteps(applied);
      return finished(live, duplicates, applied.object);
    },
  };
}

interface Configuration {
  readonly value: JsonObject;
  readonly duplicates: string | undefined;
}

/** Upstream's messages name YAML for every encoding. */
function* readConfigurationSteps({ scope, type, bytes, readYaml }: ApplyInput): Generator<void, Configuration> {
  try {
    const { cbor } = scope.environment;
    if (type === APPLY_CBOR_PATCH && cbor) {
      refuseManyCborItems(bytes);
      return { value: fewValues(yield* cbor.decodeCborMapSteps(bytes), bytes), duplicates: undefined };
    }
    const { value, duplicates } = asConversion(() =>
      readYaml === undefined ? readHere(bytes) : documentOf(readYaml()),
    );
    if (value === null) return { value: {}, duplicates };
    if (typeof value === 'object' && !Array.isArray(value)) return { value, duplicates };
    throw newBadRequest(
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ' +
        `${goJsonType(value)} into Go value of type map[string]interface {}`,
    );
  } catch (error) {
    throw isDecodeError(error) ? newBadRequest(`error decoding YAML: ${error.message}`) : error;
  }
}

function fewValues<T>(value: T, { length }: Uint8Array): T {
  refuseManyValuesIn(value, length);
  return value;
}

function readHere(bytes: Uint8Array): YamlDocument {
  if (bytes[0] === 0x7b) refuseManyValues(bytes, 'json');
  const document = yamlToJson(bytes);
  // Aliases yield many values from a few bytes.
  refuseManyMembers(document.value);
  return document;
}

function documentOf({ json, duplicates }: YamlText): YamlDocument {
  return { value: parseJsonValue(json), duplicates };
}

function asConversion<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isDecodeError(error) ? new DecodeError(error.reason, conversionError(error.message)) : error;
  }
}

function reportDuplicates(exchange: Exchange, duplicates: string | undefined, directive: ValidationDirective): void {
  if (duplicates === undefined || directive === 'Ignore') return;
  const fault = conversionError(duplicates);
  if (directive === 'Strict') throw newBadRequest(`error strict decoding YAML: ${fault}`);
  warnStrictErrors(exchange.context.warnings, [fault]);
}

/** The error of YAML without a JSON form, as in upstream's YAML reader. */
function conversionError(fault: string): string {
  return `error converting YAML to JSON: ${fault}`;
}

function uidMismatch({ resource }: EndpointScope, name: string, uid: string): StatusError {
  return newConflict(
    resource,
    name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
}
