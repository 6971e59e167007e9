import { issueClientCertificate } from '@apiserver/bootstrap-pki';
import {
  ControlPlaneError,
  checkFields,
  type FieldCheck,
  fieldError,
  oneOf,
  text,
  texts,
} from '@apiserver/test-powers';
import type { Credentials } from './credentials.js';
import type { TokenUsers } from './token-users.js';
import type { UserOptions } from './user-options.js';

/** The issuers of credentials of a plane. */
export interface Issuers {
  readonly tokens: TokenUsers;
  /** The authority of client certificates. */
  readonly authority: { readonly certificate: string; readonly key: string };
  /** The administrator, who may impersonate everybody. */
  readonly administrator: Credentials;
}

const extraCheck: FieldCheck = (value, path) => {
  if (typeof value !== 'object' || value === null) throw fieldError(path, 'must be an object');
  for (const [key, values] of Object.entries(value)) texts(values, `${path}.${key}`);
};

const checks: Readonly<Record<keyof UserOptions, FieldCheck>> = {
  groups: texts,
  uid: text,
  extra: extraCheck,
  by: oneOf('certificate', 'token', 'impersonation'),
};

/** Credentials of a user. Throws a ControlPlaneError for a wrong option, and for `extra` by certificate. */
export function userCredentials(name: string, options: UserOptions, issuers: Issuers): Credentials {
  checkFields(options, `user ${name}`, checks);
  const { groups = [], uid, extra, by = extra === undefined ? 'certificate' : 'token' } = options;
  const user = { name, groups, extra: extra ?? {}, ...(uid !== undefined && { uid }) };
  switch (by) {
    case 'token':
      return { token: issuers.tokens.add(user) };
    case 'impersonation':
      return { ...issuers.administrator, impersonated: user };
    case 'certificate': {
      if (extra !== undefined) {
        throw new ControlPlaneError(`user ${name}: a certificate has no room for extra; use by: 'token'`);
      }
      const subject = { commonName: name, organizations: groups, ...(uid !== undefined && { uid }) };
      // The machine's time, against which servers and clients check certificates.
      return { certificate: issueClientCertificate(issuers.authority, subject, new Date()) };
    }
  }
}
