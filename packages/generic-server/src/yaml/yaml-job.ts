import type { YamlText } from '@apiserver/apimachinery/codec/yaml';
import type { DecodeError } from '@apiserver/apimachinery/errors';

/** YAML that a worker converts to JSON text. */
export interface YamlJob {
  readonly yaml: Uint8Array<ArrayBuffer>;
  readonly maxValues: number;
}

/** The result of a job: see `yamlToJsonText`. Errors lose their class between threads. */
export type YamlJobResult =
  | { readonly text: YamlText | undefined }
  | { readonly fault: Pick<DecodeError, 'reason' | 'message'> };
