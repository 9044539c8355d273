import { SyncError } from '../../model/errors.ts'
import type { Endpoint } from '../endpoints.ts'

const status = 401

/** The token works elsewhere: the role of the API client lacks this permission. */
export function missingPermission({ permission, template }: Endpoint): SyncError {
  return new SyncError('missing_permission', `The token lacks the permission ${permission}, which ${template} needs`, {
    status,
    hint: `Give the role of the API client the permission ${permission}, or switch the resource off`,
  })
}

/** Every permission answers 401. */
export function deadCredential(): SyncError {
  return new SyncError('unauthorized', 'The tenant refuses the token for every permission', {
    status,
    hint: 'The token or the client secret is wrong, expired or revoked: replace it; one in a variable takes a restart',
  })
}

/** 401 here, and no clear answer elsewhere. */
export function undecided({ permission, template }: Endpoint): SyncError {
  return new SyncError('unauthorized', `${template} answered 401, and no other permission could be tried`, {
    status,
    hint: `Either the token is refused or it lacks the permission ${permission}`,
  })
}
