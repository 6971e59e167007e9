import type { UserInfo as UserInfoV1 } from '@apiserver/api/authentication/v1';
import { setOwn } from '@apiserver/apimachinery/json';
import type { UserInfo } from '@apiserver/apiserver-contracts';

/** A user in the form of reviews. */
export function shownUser({ name, uid = '', groups, extra }: UserInfo): UserInfoV1 {
  const shown: Record<string, string[]> = {};
  for (const [key, values] of Object.entries(extra)) setOwn(shown, key, [...values]);
  return {
    ...(name === '' ? undefined : { username: name }),
    ...(uid === '' ? undefined : { uid }),
    ...(groups.length === 0 ? undefined : { groups: [...groups] }),
    ...(Object.keys(shown).length === 0 ? undefined : { extra: shown }),
  };
}
