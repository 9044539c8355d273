import { ApiError } from '../server/api-error.ts'
import { renderUser } from '../server/render.ts'
import { nextUserId, roleNameOf, type Tenant, userByEmail } from '../tenant.ts'
import type { RoleTruth, UserTruth } from '../truth.ts'
import type { World } from '../world.ts'
import type { Endpoint } from './endpoint.ts'

/** Greatest lengths; the specification does not give the values. */
const nameLimit = 100
const emailLimit = 254

const emailFormat = /^[^\s@"(),:;<>[\\\]]+@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i

type Body = Readonly<Record<string, unknown>>

/** A body that is not a JSON object lacks all four fields. */
function parseBody(bytes: Uint8Array): Body {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : {}
  } catch {
    return {}
  }
}

function text(body: Body, field: string, limit: number, problems: string[]): string {
  const value = body[field]
  if (typeof value !== 'string' || value.trim() === '') problems.push(`${field} is required`)
  else if (value.length > limit) problems.push(`${field} must have at most ${limit} characters`)
  else return value
  return ''
}

function assignableRole(world: World, tenant: Tenant, roleId: unknown, problems: string[]): RoleTruth | undefined {
  if (typeof roleId !== 'number' || !Number.isSafeInteger(roleId)) problems.push('roleId is required')
  else if (roleId <= 0) problems.push('roleId must be greater than 0')
  else {
    const role = tenant.roles.get(roleId)
    const usable = role?.type === 'User' && (role.state === 'Active' || world.readings.assignInactiveRole)
    if (usable) return role
    problems.push('roleId matches no assignable role')
  }
  return undefined
}

/**
 * "Create user": the one endpoint that writes. The whole body is validated first (422 `VALIDATION_FAILED`, every
 * problem named), then the address, whatever its case, must be free in the tenant (409 `CONFLICT`).
 */
export const createUser: Endpoint = {
  method: 'POST',
  template: '/api/public/users',
  permission: 'Api_Users_Create',
  handle({ world, tenant, body, style }) {
    const fields = parseBody(body)
    const problems: string[] = []
    const firstName = text(fields, 'firstName', nameLimit, problems)
    const lastName = text(fields, 'lastName', nameLimit, problems)
    const email = text(fields, 'email', emailLimit, problems)
    if (email !== '' && !emailFormat.test(email)) problems.push('email is not a valid address')
    const role = assignableRole(world, tenant, fields['roleId'], problems)
    if (problems.length > 0 || role === undefined) {
      throw new ApiError(422, 'VALIDATION_FAILED', 'The request body is not valid', problems)
    }
    if (userByEmail(tenant, email) !== undefined) {
      throw new ApiError(409, 'CONFLICT', 'A user with this email already exists')
    }
    const user: UserTruth = {
      userId: nextUserId(tenant),
      firstName,
      lastName,
      email,
      state: 'Invited',
      mfaStatus: false,
      mfaAction: false,
      roleId: role.roleId,
      roleName: null,
      createdAt: world.clock(),
      raw: {},
    }
    tenant.users.add(user)
    return { status: 201, data: renderUser(user, roleNameOf(tenant, user), true, style), pagination: null }
  },
}
