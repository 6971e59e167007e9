/** Loads the reader of servers' documents of version 2: few servers need it. */
export async function loadRemoteSpecReader(): Promise<typeof import('./read-remote-spec.js').readRemoteSpec> {
  return (await import('./read-remote-spec.js')).readRemoteSpec;
}
