import { permissionCodes } from '../resources/index.ts'
import { tokenNames } from '../seed/tokens.ts'
import type { Simulator } from '../simulator.ts'
import type { Members } from './input.ts'
import { asOneOf, onlyMembers } from './input.ts'

const actions = ['swap', 'revoke', 'restore', 'rotate', 'grant', 'deny'] as const

/** Changes a token: `{token, action: swap | revoke | restore | rotate | grant | deny, permission?}`. */
export function changeToken(simulator: Simulator, body: Members): unknown {
  onlyMembers(body, ['token', 'action', 'permission'], 'The body')
  const token = asOneOf(body['token'], tokenNames(), 'token')
  const action = asOneOf(body['action'], actions, 'action')
  const permission = () => asOneOf(body['permission'], permissionCodes, 'permission')
  switch (action) {
    case 'swap':
      simulator.swapTenant(token)
      break
    case 'revoke':
      simulator.revokeToken(token)
      break
    case 'restore':
      simulator.restoreToken(token)
      break
    case 'rotate':
      simulator.rotateToken(token)
      break
    case 'grant':
      simulator.grantPermission(token, permission())
      break
    case 'deny':
      simulator.revokePermission(token, permission())
      break
    default:
      return action satisfies never
  }
  return { token, value: simulator.tokens[token] }
}
