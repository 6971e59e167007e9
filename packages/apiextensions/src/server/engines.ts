import type { CompilePattern } from '@apiserver/apimachinery/patterns';
import type { StorageProviderOptions } from '@apiserver/registry-store';

/** Parts that are loaded with the first definition. */
export interface Engines {
  readonly compilePattern: CompilePattern;
  readonly readCbor: StorageProviderOptions['readCbor'];
}
