import {
  DecodeError,
  type DeepReadonly,
  isDecodeError,
  type JsonObject,
  type KubeObject,
  newBadRequest,
  newConflict,
  type StatusError,
  type YamlDocument,
  yamlToJson,
} from '@apiserver/apimachinery';
import type { Exchange } from '@apiserver/apiserver-contracts';
import { goJsonType } from '../handlers/body-kind.js';
import { APPLY_CBOR_PATCH, type ApplyType } from '../handlers/patch-mechanism.js';
import type { ValidationDirective } from '../options/write-options.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/** A server-side apply as it came. */
export interface ApplyInput {
  readonly scope: EndpointScope;
  readonly exchange: Exchange;
  /** In the path. */
  readonly name: string;
  readonly type: ApplyType;
  readonly bytes: Uint8Array;
  readonly manager: string;
  readonly force: boolean;
  readonly directive: ValidationDirective;
}

/**
 * Reads an apply configuration: YAML, JSON, or CBOR. What is wrong with it is thrown when it is applied, as often as that is.
 * Duplicate keys are looked at last: a conflict goes before them.
 *
 * Upstream: applyPatcher in k8s.io/apiserver/pkg/endpoints/handlers/patch.go
 */
export function applyMechanism(input: ApplyInput): {
  apply(live: DeepReadonly<KubeObject> | undefined): KubeObject;
} {
  const { scope, exchange, name, manager, force, directive } = input;
  let configuration: Configuration | undefined;
  return {
    apply: (live) => {
      configuration ??= readConfiguration(input);
      const object = scope.fieldManager.apply(live, { applied: configuration.value, manager, force });
      reportDuplicates(exchange, configuration, directive);
      if (live === undefined && object.metadata.uid) throw uidMismatch(scope, name, object.metadata.uid);
      return object;
    },
  };
}

interface Configuration {
  readonly value: JsonObject;
  readonly duplicates: string | undefined;
}

/** Upstream speaks of YAML whatever it is. */
function readConfiguration({ scope, type, bytes }: ApplyInput): Configuration {
  try {
    const { cbor } = scope.environment;
    if (type === APPLY_CBOR_PATCH && cbor) return { value: cbor.decodeCborMap(bytes), duplicates: undefined };
    const { value, duplicates } = readYaml(bytes);
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

function readYaml(bytes: Uint8Array): YamlDocument {
  try {
    return yamlToJson(bytes);
  } catch (error) {
    throw isDecodeError(error) ? new DecodeError(error.reason, conversionError(error.message)) : error;
  }
}

function reportDuplicates(exchange: Exchange, { duplicates }: Configuration, directive: ValidationDirective): void {
  if (duplicates === undefined || directive === 'Ignore') return;
  const fault = conversionError(duplicates);
  if (directive === 'Strict') throw newBadRequest(`error strict decoding YAML: ${fault}`);
  exchange.context.warnings.warn(fault);
}

/** What YAML cannot be made JSON for, as upstream's reader of YAML into a value says it. */
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
