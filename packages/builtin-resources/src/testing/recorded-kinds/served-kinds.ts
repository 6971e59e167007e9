import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import type { AnyResourceDefinition, ResourceVersionDefinition } from '@apiserver/apiserver-contracts';
import { CERTIFICATE_VOLUMES, storedDefinitions } from '../group-dependencies.js';

/** A served version of a kind, with its codec. */
export interface ServedKind {
  readonly definition: AnyResourceDefinition;
  readonly version: ResourceVersionDefinition;
  readonly codec: KindCodec;
}

/** The time of the recording, which is that of every request too: the default of a time is then no time ago. */
export const RECORDED_AT = '2026-11-22T00:00:00Z';

const clock = { now: () => Date.parse(RECORDED_AT) };
const containers = { allowPrivileged: true, features: CERTIFICATE_VOLUMES };

/**
 * The built-in kinds of a server that allows privileged containers and certificates in volumes, by `apiVersion/kind`.
 */
export function servedKinds(): ReadonlyMap<string, ServedKind> {
  return new Map(
    storedDefinitions({ containers, clock }).flatMap((definition) => {
      return definition.versions.map((version) => {
        const { gvk } = version.schema;
        const served: ServedKind = { definition, version, codec: compileKind(version.schema) };
        return [`${formatGroupVersion(gvk)}/${gvk.kind}`, served] as const;
      });
    }),
  );
}

/** Decodes and defaults an object in its own version, as a request's body. Throws for unknown fields. */
export function decoded({ codec, version }: ServedKind, sent: KubeObject): KubeObject {
  const { object, strictErrors } = codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict');
  if (strictErrors.length > 0) throw new Error(strictErrors.join(', '));
  codec.applyDefaults(object);
  version.applyDefaults?.(object);
  return object;
}

/** The same with aliases normalized, in the hub version. */
export function decodedInHub(served: ServedKind, sent: KubeObject): KubeObject {
  const object = decoded(served, sent);
  served.version.normalize?.(object);
  return served.version.toHub?.(object) ?? object;
}

/** Converts an object of the hub version to another version of its kind, as a client receives it. */
export function shown({ codec, version }: ServedKind, hub: KubeObject): object {
  const object = version.fromHub?.(hub) ?? hub;
  return JSON.parse(Buffer.from(codec.encodeJson(object)).toString('utf8'));
}
