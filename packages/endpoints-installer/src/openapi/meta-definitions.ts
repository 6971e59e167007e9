import { DeleteOptions, ListMeta, Status, TypeMeta, WatchEvent } from '@apiserver/api/meta/v1';
import { INLINE, list, OMIT_EMPTY, STRING, type StructSchema, struct } from '@apiserver/apimachinery/schema';

/** The body of every patch. OpenAPI does not describe its content. */
export const patchSchema: StructSchema = struct(
  `${DeleteOptions.name.replace(/[^.]+$/, '')}Patch`,
  'v1.Patch',
  () => [],
);

/** Schemas that operations on any resource use. */
export const statusSchema: StructSchema = Status.schema;
export const deleteOptionsSchema: StructSchema = DeleteOptions;
export const watchEventSchema: StructSchema = WatchEvent;

/** The schema of a list of items. All lists have the same members. */
export function listSchema(item: StructSchema, listKind: string): StructSchema {
  return struct(item.name.replace(/[^.]+$/, listKind), item.goName.replace(/[^.]+$/, listKind), () => [
    ['', 0, TypeMeta, INLINE],
    ['metadata', 1, ListMeta, OMIT_EMPTY],
    ['items', 2, list(item)],
  ]);
}

/** The response of `/version`. Upstream: k8s.io/apimachinery/pkg/version/types.go */
export const versionInfoSchema: StructSchema = struct('io.k8s.apimachinery.pkg.version.Info', 'version.Info', () => [
  ['major', 0, STRING],
  ['minor', 0, STRING],
  ['emulationMajor', 0, STRING, OMIT_EMPTY],
  ['emulationMinor', 0, STRING, OMIT_EMPTY],
  ['minCompatibilityMajor', 0, STRING, OMIT_EMPTY],
  ['minCompatibilityMinor', 0, STRING, OMIT_EMPTY],
  ['gitVersion', 0, STRING],
  ['gitCommit', 0, STRING],
  ['gitTreeState', 0, STRING],
  ['buildDate', 0, STRING],
  ['goVersion', 0, STRING],
  ['compiler', 0, STRING],
  ['platform', 0, STRING],
]);
