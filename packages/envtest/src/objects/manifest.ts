import type { KubeObject } from '@apiserver/apimachinery';

/**
 * Objects for a plane: a file, a folder with everything below it, a glob, YAML or JSON text, an object, or a list of
 * these. Text is taken for YAML if it has several lines, for JSON if it begins with "{".
 */
export type Manifests = string | URL | object | readonly Manifests[];

/** One object, and where it comes from. */
export interface Manifest {
  readonly object: KubeObject;
  /** For messages: a path, or a position in the option. */
  readonly origin: string;
}

/** `Deployment web/api of config/app.yaml` */
export function describeManifest({ object: { kind, metadata }, origin }: Manifest): string {
  const { name = metadata.generateName ?? '', namespace } = metadata;
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`} of ${origin}`;
}
