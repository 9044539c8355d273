-- id: few-can-create-users
-- title: At most two API clients can create users
-- severity: high
-- inputs: api-clients, roles
-- maxAge: 6h
-- entity: api-client
-- frameworks: SOC 2 CC6.3, ISO 27001 A.5.15
-- description: Counts the API clients whose role grants Api_Users_Create; beyond two, every one of them is shown.
-- risk: Whoever holds the secret of such a client can give anybody access to the tenant.
-- remediation: Give the client a role without Api_Users_Create, or delete it.

with creators as (
  select c.clientId, c.roleName
  from api_clients c
  where exists (
    select 1
    from roles r
    join role_permissions p on p.roleId = r.roleId
    where r.name = c.roleName and r.state = 'Active' and p.code = 'Api_Users_Create'
  )
)
select
  c.clientId as entity,
  case
    when c.roleName is null or not exists (select 1 from roles r where r.name = c.roleName) then 'error'
    when c.clientId in (select clientId from creators) and (select count(*) from creators) > 2 then 'alarm'
    else 'ok'
  end as status,
  case
    when c.roleName is null then 'The API client has no role name, so its permissions are not known.'
    when not exists (select 1 from roles r where r.name = c.roleName) then 'No role is named ' || c.roleName || '.'
    else 'Its role ' || c.roleName || ' lets it create users, as more than two API clients can.'
  end as reason
from api_clients c
