/** The credentials of a client, in the terms of a kubeconfig. */
export interface Credentials {
  /** PEM. */
  readonly certificate?: { readonly certificate: string; readonly key: string };
  readonly token?: string;
  /** The user to act as. */
  readonly impersonated?: ImpersonatedUser;
}

/** The user of Impersonate-* headers. */
interface ImpersonatedUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The headers of a request without TLS. */
export function headersOf({ token, impersonated }: Credentials): readonly (readonly [string, string])[] {
  return [
    ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const]),
    ...(impersonated === undefined ? [] : impersonationHeaders(impersonated)),
  ];
}

function impersonationHeaders({ name, uid, groups, extra }: ImpersonatedUser): readonly (readonly [string, string])[] {
  return [
    ['Impersonate-User', name],
    ...(uid === undefined ? [] : [['Impersonate-Uid', uid] as const]),
    ...groups.map((group) => ['Impersonate-Group', group] as const),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => [`Impersonate-Extra-${encodeURIComponent(key)}`, value] as const),
    ),
  ];
}
