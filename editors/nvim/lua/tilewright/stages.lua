-- Stages of kernels beside their source. A view follows the source as it is edited, and the cursor: the lines that the cursor's line
-- became are lit, and the other way round; in another kernel, the view is of that one.

local tilewright = require("tilewright")

local M = {}

local SPACE = vim.api.nvim_create_namespace("tilewright")

-- The pause after an edit or a movement before a stage is made again, in milliseconds.
local PAUSE = 150

vim.api.nvim_set_hl(0, "TilewrightLine", { default = true, link = "Visual" })

-- The views by their buffers: `source` is the buffer of the source, `mark` the place in it, `lines` the line of the source for each
-- line of the view, `number` that of the last request.
local views = {}

local function light(buffer, lines)
  vim.api.nvim_buf_clear_namespace(buffer, SPACE, 0, -1)
  for _, line in ipairs(lines) do
    pcall(vim.api.nvim_buf_set_extmark, buffer, SPACE, line, 0, { line_hl_group = "TilewrightLine" })
  end
  local window = vim.fn.bufwinid(buffer)
  if window == -1 or not lines[1] then
    return
  end
  vim.api.nvim_win_call(window, function()
    local line = lines[1] + 1
    if line < vim.fn.line("w0") or line > vim.fn.line("w$") then
      vim.api.nvim_win_set_cursor(window, { math.min(line, vim.api.nvim_buf_line_count(buffer)), 0 })
      vim.cmd("normal! zz")
    end
  end)
end

-- The lines of a view that stem from a line of its source.
local function lines_from(view, line)
  local found = {}
  for at, from in ipairs(view.lines) do
    if from == line then
      table.insert(found, at - 1)
    end
  end
  return found
end

local function cursor_line(buffer)
  local window = vim.fn.bufwinid(buffer)
  return window ~= -1 and vim.api.nvim_win_get_cursor(window)[1] - 1 or nil
end

local function fill(buffer, text)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\n"))
  vim.bo[buffer].modifiable = false
end

-- Makes a view again for the kernel at its mark.
local function update(buffer)
  local view = views[buffer]
  local place = vim.api.nvim_buf_get_extmark_by_id(view.source, view.space, view.mark, {})
  view.number = view.number + 1
  local number = view.number
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(view.source) },
    stage = view.stage,
    position = { line = place[1], character = place[2] },
  }
  tilewright.request(view.source, "tilewright/stage", params, function(stage, problem)
    if views[buffer] ~= view or view.number ~= number then
      return
    end
    if problem then
      -- While the source has errors, the last text stays.
      if not view.text then
        fill(buffer, "// " .. problem)
      end
      return
    end
    view.lines = vim.tbl_map(function(line)
      return line ~= vim.NIL and line or false
    end, stage.lines)
    if view.text ~= stage.text then
      view.text = stage.text
      fill(buffer, stage.text)
    end
    local line = cursor_line(view.source)
    light(buffer, line and lines_from(view, line) or {})
  end)
end

-- Has a view made again soon.
local function update_soon(buffer)
  local view = views[buffer]
  view.waiting = (view.waiting or 0) + 1
  local waiting = view.waiting
  vim.defer_fn(function()
    if views[buffer] == view and view.waiting == waiting and vim.api.nvim_buf_is_valid(view.source) then
      update(buffer)
    end
  end, PAUSE)
end

local function mark(view, line, column)
  view.mark = vim.api.nvim_buf_set_extmark(view.source, view.space, line, column, { id = view.mark })
end

-- The cursor has moved in a source.
local function moved_in_source(source)
  -- What a view has lit.
  light(source, {})
  for buffer, view in pairs(views) do
    if view.source == source then
      local line, column = unpack(vim.api.nvim_win_get_cursor(0))
      local lines = lines_from(view, line - 1)
      light(buffer, lines)
      if not lines[1] then
        -- Perhaps another kernel.
        mark(view, line - 1, column)
        update_soon(buffer)
      end
    end
  end
end

-- The cursor has moved in a view.
local function moved_in_view(buffer)
  local view = views[buffer]
  local from = view.lines[vim.api.nvim_win_get_cursor(0)[1]]
  light(view.source, from and { from } or {})
end

local function watch(buffer, view)
  local group = vim.api.nvim_create_augroup("tilewright-view-" .. buffer, {})
  local function on(events, where, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = where, callback = callback })
  end
  on({ "CursorMoved", "CursorMovedI" }, view.source, function()
    moved_in_source(view.source)
  end)
  on({ "TextChanged", "TextChangedI" }, view.source, function()
    update_soon(buffer)
  end)
  on("CursorMoved", buffer, function()
    moved_in_view(buffer)
  end)
  on("BufWipeout", buffer, function()
    views[buffer] = nil
    if vim.api.nvim_buf_is_valid(view.source) then
      vim.api.nvim_buf_clear_namespace(view.source, SPACE, 0, -1)
      vim.api.nvim_buf_clear_namespace(view.source, view.space, 0, -1)
    end
    vim.schedule(function()
      pcall(vim.api.nvim_del_augroup_by_id, group)
    end)
  end)
end

-- Opens an empty view beside the source.
local function open(source, stage)
  local before = vim.api.nvim_get_current_win()
  local window = vim.fn.bufwinid(source)
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
  end
  vim.cmd("rightbelow vnew")
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].swapfile = false
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(source), ":t")
  vim.api.nvim_buf_set_name(buffer, "tilewright://" .. source .. "/" .. name .. "." .. stage)
  vim.bo[buffer].filetype = stage == "ptx" and "ptx" or "tilewright"
  vim.api.nvim_set_current_win(before)
  local view = {
    source = source,
    stage = stage,
    space = vim.api.nvim_create_namespace("tilewright-view-" .. buffer),
    lines = {},
    number = 0,
  }
  views[buffer] = view
  watch(buffer, view)
  return buffer
end

-- Shows a stage of the kernel at a position of the protocol, or under the cursor.
function M.show(source, stage, position)
  local shown
  for buffer, view in pairs(views) do
    if view.source == source and view.stage == stage then
      shown = buffer
    end
  end
  local line, column = unpack(vim.api.nvim_win_get_cursor(0))
  if position then
    line, column = position.line + 1, position.character
  end
  local buffer = shown or open(source, stage)
  mark(views[buffer], line - 1, column)
  update(buffer)
end

return M
