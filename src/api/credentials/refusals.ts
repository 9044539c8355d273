import { SyncError } from '../../model/errors.ts'
import type { Endpoint } from '../endpoints.ts'

/** Statuses that refuse a token or a permission: the specification has 401 for both. */
export type Refusal = 401 | 403

export function isRefusal(status: number | undefined): status is Refusal {
  return status === 401 || status === 403
}

/** The token works elsewhere: the role of the API client lacks this permission. */
export function missingPermission({ permission, template }: Endpoint, status: Refusal): SyncError {
  return new SyncError('missing_permission', `The token lacks the permission ${permission}, which ${template} needs`, {
    status,
    hint: `Give the role of the API client the permission ${permission}, or switch the resource off`,
  })
}

export function deadCredential(status: Refusal): SyncError {
  return new SyncError('unauthorized', 'The tenant refuses the token for every permission', {
    status,
    hint: 'The token or the client secret is wrong, expired or revoked: replace it; one in a variable takes a restart',
  })
}

export function undecided({ permission, template }: Endpoint, status: Refusal): SyncError {
  return new SyncError('unauthorized', `${template} answered ${status}, and no other permission could be tried`, {
    status,
    hint: `Either the token is refused or it lacks the permission ${permission}`,
  })
}
