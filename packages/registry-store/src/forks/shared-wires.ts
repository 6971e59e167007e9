import type { KubeObject } from '@apiserver/apimachinery';
import type { KeyValue } from '../key-value-store.js';
import { ValueMemory } from '../memory/value-memory.js';
import type { SharedWire, WireKind, WireSource } from '../objects/known-objects.js';
import { LARGE } from '../objects/stored-entry.js';

/** Bytes that are kept. */
const MAX_BYTES = 4 * 2 ** 20;

interface KeptWire extends SharedWire {
  readonly fullKey: string;
  readonly revision: number;
  readonly version: string;
}

/**
 * The wire bytes of values that forks of one store have in common. A fork shares the memory of each value with its
 * origin until it writes the key. Values are found by this identity: their content must never change. The newest values
 * beyond the limit are not kept.
 */
export class SharedWires implements WireSource {
  readonly #wires = new WeakMap<Uint8Array, KeptWire>();
  readonly #memory = new ValueMemory();
  #size = 0;

  of<T extends KubeObject>(kv: KeyValue, kind: WireKind<T>): SharedWire | undefined {
    const { key: fullKey, value, modRevision: revision, damage } = kv;
    if (damage !== undefined || !kind.form.wireIsAtRest) return undefined;
    const { version } = kind.form.wireForm;
    const kept = this.#wires.get(value);
    if (kept === undefined) return this.#add(kv, kind);
    const isSame = kept.revision === revision && kept.version === version && kept.fullKey === fullKey;
    return isSame ? kept : undefined;
  }

  #add<T extends KubeObject>(
    { key: fullKey, value, modRevision: revision }: KeyValue,
    { form, prefix }: WireKind<T>,
  ): SharedWire | undefined {
    if (value.length >= LARGE || this.#size >= MAX_BYTES) return undefined;
    try {
      const { bytes, outdated } = form.wire(value, revision);
      if (outdated) return undefined;
      this.#size += bytes.length;
      const { version } = form.wireForm;
      const kept = { fullKey, key: fullKey.slice(prefix.length), revision, version, bytes: this.#memory.keep(bytes) };
      this.#wires.set(value, kept);
      return kept;
    } catch {
      // Its readers report why.
      return undefined;
    }
  }
}
