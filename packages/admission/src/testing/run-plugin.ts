import type { KubeObject } from '@apiserver/apimachinery';
import { cloneJson, freezeJson } from '@apiserver/apimachinery/json';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { createAdmissionChain } from '../admission-chain.js';

/** The result of a request: the object as it would be stored, or the reason for the refusal. */
export type AdmissionOutcome = { readonly object: KubeObject | undefined } | { readonly refused: string };

/**
 * Runs a plugin as a server does: both phases, the second with a frozen copy. The request's own object stays
 * unchanged.
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
