// The steps of the queue of pictures, each of which Redis does as one. Below the name that KEYS[1] begins:
//
//   look:<key>    the one picture that waits under the key, and whose it is; forgotten by itself
//   group:<group> the keys that wait, by when they began to
//   order         the groups that have any, by when they were served last; those that never were come first
//   age           the keys that wait, by when their picture was taken
//   lease:<key>   the ticket of the picture that is being looked at
//   served:<group> when a group was served last; forgotten by itself
//   count         what all of these count in
//   bytes         how large the picture of each waiting key is, and under '' all of them together
//
// Where nothing is offered or taken any more, all of it is forgotten by itself.
//
// What cannot be read, since something else wrote it, is left out or handed out as it is: one entry must not stop the queue.

/** Longer than anything waits. */
const KEEP_MS = 3_600_000

/** To be called when a group was offered something, or had something taken. */
const KEEP = `
local function keep(group)
  for _, name in ipairs({'age', 'bytes', 'order', 'count', 'group:' .. group}) do
    redis.call('pexpire', KEYS[1] .. name, ${KEEP_MS})
  end
end
`

/** Forgets a key's picture, its age and its size. Where nothing waits there are no sizes either, so that no mistake in them lasts. */
const FORGET = `
local base = KEYS[1]
local function forget(key)
  redis.call('del', base .. 'look:' .. key)
  redis.call('zrem', base .. 'age', key)
  redis.call('hincrby', base .. 'bytes', '', 0 - (redis.call('hget', base .. 'bytes', key) or 0))
  redis.call('hdel', base .. 'bytes', key)
  if redis.call('exists', base .. 'age') == 0 then redis.call('del', base .. 'bytes') end
end
`

/** Takes a waiting key out; `gone` collects whose picture it was. */
const REMOVE = `${FORGET}
local function remove(key, gone)
  local look = redis.pcall('hmget', base .. 'look:' .. key, 'ticket', 'from', 'group')
  forget(key)
  if not (look[1] and look[2] and look[3]) then return end
  redis.call('zrem', base .. 'group:' .. look[3], key)
  if redis.call('exists', base .. 'group:' .. look[3]) == 0 then redis.call('zrem', base .. 'order', look[3]) end
  table.insert(gone, look[1])
  table.insert(gone, look[2])
end
`

/**
 * ARGV: ticket, from, key, group, at, options, most that may wait, how long it may wait, how many bytes may wait, picture. Replies with who
 * gave way.
 */
export const OFFER = `${KEEP}${REMOVE}
local ticket, from, key, group, at = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local gone = {}
local name = base .. 'look:' .. key
local before = redis.pcall('hmget', name, 'ticket', 'from', 'at')
if before[1] then
  if (tonumber(before[3]) or 0) > at then return {ticket, from} end
  gone = {before[1], before[2] or ''}
end
forget(key)
local count = redis.call('incr', base .. 'count')
redis.call('hset', name, 'ticket', ticket, 'from', from, 'group', group, 'at', ARGV[5], 'options', ARGV[6], 'picture', ARGV[10])
redis.call('hset', base .. 'bytes', key, #ARGV[10])
redis.call('hincrby', base .. 'bytes', '', #ARGV[10])
redis.call('pexpire', name, ARGV[8])
redis.call('zadd', base .. 'age', at, key)
redis.call('zadd', base .. 'group:' .. group, 'NX', count, key)
local served = redis.call('get', base .. 'served:' .. group)
redis.call('zadd', base .. 'order', 'NX', served or (count - 1e12), group)
keep(group)
local most, mostBytes = tonumber(ARGV[7]), tonumber(ARGV[9])
local function isTooMuch()
  local bytes = tonumber(redis.call('hget', base .. 'bytes', '') or 0)
  return redis.call('zcard', base .. 'age') > most or bytes > mostBytes
end
while isTooMuch() do remove(redis.call('zrange', base .. 'age', 0, 0)[1], gone) end
return gone`

/** ARGV: how long the key is leased. Replies with key, ticket, from, options and picture; with nothing when nothing waits. */
export const TAKE = `${KEEP}${FORGET}
for _, group in ipairs(redis.call('zrange', base .. 'order', 0, 499)) do
  local keys = base .. 'group:' .. group
  for _, key in ipairs(redis.call('zrange', keys, 0, -1)) do
    if redis.call('exists', base .. 'lease:' .. key) == 0 then
      local name = base .. 'look:' .. key
      local look = redis.pcall('hmget', name, 'ticket', 'from', 'options', 'picture')
      forget(key)
      redis.call('zrem', keys, key)
      if look[1] and look[2] then
        redis.call('set', base .. 'lease:' .. key, look[1], 'px', ARGV[1])
        local count = redis.call('incr', base .. 'count')
        redis.call('set', base .. 'served:' .. group, count, 'px', ${KEEP_MS})
        if redis.call('exists', keys) == 1 then redis.call('zadd', base .. 'order', count, group)
        else redis.call('zrem', base .. 'order', group) end
        keep(group)
        return {key, look[1], look[2], look[3] or '', look[4] or ''}
      end
    end
  end
  if redis.call('exists', keys) == 0 then redis.call('zrem', base .. 'order', group) end
end
return false`

/** ARGV: key, ticket, how long. */
export const RENEW = `
local name = KEYS[1] .. 'lease:' .. ARGV[1]
if redis.call('get', name) ~= ARGV[2] then return 0 end
return redis.call('pexpire', name, ARGV[3])`

/** ARGV: key, ticket. */
export const RELEASE = `
local name = KEYS[1] .. 'lease:' .. ARGV[1]
if redis.call('get', name) == ARGV[2] then redis.call('del', name) end
return 1`
