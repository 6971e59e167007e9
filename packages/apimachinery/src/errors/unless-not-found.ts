import { isNotFound } from './predicates.js';

/** The result of a read; undefined if it fails with 404. Rejects with every other error. */
export async function unlessNotFound<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
