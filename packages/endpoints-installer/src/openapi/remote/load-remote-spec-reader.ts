/** Loads the reader of servers' documents of version 2: few servers need it. */
export async function loadRemoteSpecReader(): Promise<typeof import('./read-remote-spec.js').readRemoteSpec> {
  return (await import('./read-remote-spec.js')).readRemoteSpec;
}

/** Loads the converter of such documents into version 3. */
export async function loadRemoteSpecConverter(): Promise<typeof import('./convert-remote-spec.js').convertRemoteSpec> {
  return (await import('./convert-remote-spec.js')).convertRemoteSpec;
}
