/** The type of an AppArmor or seccomp profile that the baseline forbids; undefined for an allowed or absent profile. */
export function forbiddenProfileType(profile: { readonly type?: string } | undefined): string | undefined {
  if (!profile) return undefined;
  const type = profile.type ?? '';
  return type === 'RuntimeDefault' || type === 'Localhost' ? undefined : type;
}
