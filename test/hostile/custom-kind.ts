import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import { type HostileRequest, sending } from './hostile-case.ts';

/** A kind of custom resources, whose objects are in the namespace `default`. */
export interface CustomKind {
  readonly group: string;
  readonly kind: string;
  /** Members of the objects' schema beside its type. */
  readonly schema: object;
}

/** The path of the objects. */
export function objectsOf({ group, kind }: CustomKind): string {
  return `/apis/${group}/v1/namespaces/default/${kind.toLowerCase()}s`;
}

/** Creates the definition of the kind. */
export function definitionOf({ group, kind, schema }: CustomKind): HostileRequest {
  return sending('POST', DEFINITIONS, 'json', JSON.stringify(customResourceDefinition(group, kind, schema)));
}

/** An object of the kind in JSON. */
export function objectText({ group, kind }: CustomKind, name: string, members: object): string {
  return JSON.stringify({ apiVersion: `${group}/v1`, kind, metadata: { name }, ...members });
}

/** Creates an object of the kind. */
export function creationOf(kind: CustomKind, name: string, members: object): HostileRequest {
  return sending('POST', objectsOf(kind), 'json', objectText(kind, name, members));
}
