import type { AdmissionChain } from '@apiserver/apiserver-contracts';

/** Admits everything unchanged: a server without admission plugins. */
export const noAdmission: AdmissionChain = { handles: () => false, admit: () => {}, validate: () => {} };
