export type { DistinguishedName } from './certificate.js';
export { issueClientCertificate } from './client-certificate.js';
export { defaultInterfaces, readRouteTables } from './default-interface.js';
export type { KeyPair } from './key-pair.js';
export { type AdminKubeconfig, formatKubeconfig, writeAdminKubeconfig } from './kubeconfig.js';
export { ensureServerIdentity, type ServerIdentity } from './server-identity.js';
export type { ServiceAccountKeyFiles } from './service-account-key.js';
export { defaultAdvertiseAddress, localHost, type ServingNames, servingNames } from './serving-names.js';
export {
  ensureStandAloneIdentity,
  newStandAloneIdentity,
  type StandAloneIdentity,
} from './stand-alone-identity.js';
