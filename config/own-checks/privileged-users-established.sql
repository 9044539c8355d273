-- id: privileged-users-established
-- title: Nobody who joined within the last week has a role that manages API clients
-- severity: medium
-- inputs: users, roles
-- entity: user
-- description: A user who was created less than seven days ago does not have an active role with a permission of the API clients.
-- risk: An account that an intruder made to keep access is used within its first days.
-- remediation: Ask who created the account and why it needs this role so soon.

select
  u.userId as entity,
  case
    when u.state = 'Invited' then 'skip'
    when u.roleName is null then 'error'
    when :now - u.createdAtMs >= 7 * 24 * 3600 * 1000 then 'ok'
    when not exists (select 1 from roles r where r.name = u.roleName) then 'error'
    when exists (
      select 1
      from roles r
      join role_permissions p on p.roleId = r.roleId
      where r.name = u.roleName and r.state = 'Active' and p.code like 'Api!_ApiClients!_%' escape '!'
    ) then 'alarm'
    else 'ok'
  end as status,
  case
    when u.roleName is null then 'The user has no role name.'
    else 'User ' || u.userId || ' was created at ' || u.createdAt || ' and has the role ' || u.roleName || '.'
  end as reason
from users u
