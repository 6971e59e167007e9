import type { DeleteOptions, KubeObject } from '@apiserver/apimachinery';
import type { ValidateObject } from '@apiserver/apiserver-contracts';

/** One delete as the client asked for it. */
export interface DeleteRequest<T extends KubeObject> {
  readonly name: string;
  readonly validate: ValidateObject<T>;
  readonly options: DeleteOptions;
}
