import type { KubeObject } from '@apiserver/apimachinery';
import { cloneJson, freezeJson } from '@apiserver/apimachinery/json';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { createAdmissionChain } from '../admission-chain.js';

/** What came of a request: the object as it would be stored, or why it was refused. */
export type AdmissionOutcome = { readonly object: KubeObject | undefined } | { readonly refused: string };

/**
 * Shows a plugin a request as a server does: both phases, the second one with a frozen copy. The request's own object is
 * left alone.
 */
export async function runPlugin(plugin: AdmissionPlugin, attributes: AdmissionAttributes): Promise<AdmissionOutcome> {
  const chain = createAdmissionChain([plugin]);
  const object = attributes.object && cloneJson(attributes.object);
  try {
    await chain.admit({ ...attributes, object });
    const frozen = object && cloneJson(object);
    if (frozen !== undefined) freezeJson(frozen);
    await chain.validate({ ...attributes, object: frozen });
    return { object };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { refused: error.message };
  }
}
