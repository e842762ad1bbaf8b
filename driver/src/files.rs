//! Reads files, and writes them atomically: a reader sees either the old contents or all of the new ones, even if this program is
//! killed meanwhile.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::Path;

use tilewright_diagnostics::{Code, Diagnostic, Location};

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic<Location> {
    Diagnostic::error(Code::FileNotReadable, format!("{}: {error}", path.display()))
}

/// Size limit of a program, in bytes: reading a device file might never end.
const LARGEST: u64 = 1 << 30;

/// Reads a program from a file.
///
/// # Errors
/// A diagnostic with the path and the system's error message.
pub(crate) fn open_program(path: &Path) -> Result<Vec<u8>, Diagnostic<Location>> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    read_program(path, file)
}

/// Reads a program to its end.
///
/// # Errors
/// A diagnostic with the path and the system's error message.
pub(crate) fn read_program(path: &Path, from: impl Read) -> Result<Vec<u8>, Diagnostic<Location>> {
    let mut bytes = Vec::new();
    let read = from.take(LARGEST + 1).read_to_end(&mut bytes);
    let length = read.map_err(|error| unreadable(path, &error))?;
    if u64::try_from(length).is_ok_and(|length| length <= LARGEST) {
        return Ok(bytes);
    }
    let message = format!(
        "{}: longer than {LARGEST} bytes, the most that a program may have",
        path.display()
    );
    Err(Diagnostic::error(Code::FileNotReadable, message))
}

/// Reads a file.
///
/// # Errors
/// A diagnostic with the path and the system's error message.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Diagnostic<Location>> {
    fs::read(path).map_err(|error| unreadable(path, &error))
}

/// Writes to standard output. A closed pipe is not an error.
///
/// # Errors
/// A diagnostic with the system's error message.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Diagnostic<Location>> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Diagnostic::error(
            Code::FileNotWritable,
            format!("standard output: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Writes a file atomically. An existing file keeps its permissions; a device or a pipe is written to directly.
///
/// # Errors
/// A diagnostic with the path and the system's error message. The file is then unchanged, unless no temporary file could be made
/// in its folder: then it may be left empty.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic<Location>> {
    write(path, bytes)
        .map_err(|error| Diagnostic::error(Code::FileNotWritable, format!("{}: {error}", path.display())))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What a link leads to is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        Ok(found) if !found.is_file() => in_place(&target, bytes),
        Ok(found) => match replace(&target, bytes, Some(&found)) {
            Err(error) if is_about_the_folder(&error) => in_place(&target, bytes),
            outcome => outcome,
        },
        Err(_) => replace(&target, bytes, None),
    }
}

/// Writes a temporary file in the same folder, and renames it.
fn replace(path: &Path, bytes: &[u8], found: Option<&Metadata>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    // With the permissions of any new file.
    let mut file = builder
        .prefix(".tilewright-")
        .make_in(folder, |path| File::create_new(path))?;
    file.as_file_mut().write_all(bytes)?;
    if let Some(found) = found {
        file.as_file().set_permissions(found.permissions())?;
    }
    file.persist(path)?;
    Ok(())
}

/// Whether making the temporary file failed because its folder admits no new files; the file itself may still be writable.
fn is_about_the_folder(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

fn in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).truncate(true).open(path)?;
    let written = file.write_all(bytes).and_then(|()| file.flush());
    if written.is_err() {
        // Nothing is left that could be taken for the whole; a device has no length.
        let _ = file.set_len(0);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("out");
        for text in ["long contents", "short"] {
            write_file(&file, text.as_bytes()).expect("written");
            assert_eq!(fs::read_to_string(&file).expect("read"), text);
        }
        let entries = fs::read_dir(folder.path()).expect("entries").count();
        assert_eq!(entries, 1);
        let problem = write_file(&folder.path().join("no/out"), b"x").expect_err("no such folder");
        assert_eq!(problem.code, Code::FileNotWritable);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_permissions_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "").expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("permissions");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        write_file(&link, b"new").expect("written");
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        assert_eq!(fs::read(&file).expect("read"), b"new");
        let mode = fs::metadata(&file).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}
